import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface CommandRequest {
  words: readonly string[];
  /** Value of the variable COLUMNS, the width of tables in characters. */
  columns: number;
}

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A process that runs commands of one checkout one after another (worker.ts). */
export class CommandProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  /** @param tree folder of the checkout, already compiled @param folder working folder and home of the commands */
  constructor(tree: string, folder: string) {
    this.#child = fork(fileURLToPath(new URL('worker.js', import.meta.url)), [tree], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, TZ: 'UTC', LC_ALL: 'C.UTF-8', NO_COLOR: '1' },
      // The commands must not find a terminal, which would change their output.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.pipe(process.stderr);
    this.#ended = once(this.#child, 'exit').then(([code, signal]) => {
      throw new Error(`a process of the goldens ended with ${code ?? signal}`);
    });
    // run() reports it to whoever waits for a result.
    this.#ended.catch(() => undefined);
  }

  /** Runs one command; the next may start when the result is there. @throws Error if the process ends instead */
  async run(request: CommandRequest): Promise<CommandResult> {
    this.#child.send(request);
    const [result] = await Promise.race([once(this.#child, 'message'), this.#ended]);
    return result as CommandResult;
  }

  end(): void {
    this.#child.kill();
  }
}
