// Starting programs, for the test command.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * Runs a command in the checkout; `show` gets its output as it comes. One that is not done after `limitMs` is killed with
 * all it started.
 * @returns {Promise<{ code: number, output: string, seconds: number, isTimedOut: boolean }>}
 */
export function run([command, ...args], { env = {}, show, limitMs } = {}) {
  return new Promise((resolve) => {
    const begin = Date.now();
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own where it may have to be killed; otherwise Ctrl-C reaches it by itself.
      detached: limitMs !== undefined,
    });
    let output = '';
    let isTimedOut = false;
    const kill = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It is gone already.
      }
    };
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => {
            isTimedOut = true;
            kill();
          }, limitMs);
    if (limitMs !== undefined) process.once('exit', kill);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
        show?.(chunk);
      });
    const end = (code, text = '') => {
      clearTimeout(timer);
      process.off('exit', kill);
      resolve({ code, output: output + text, seconds: (Date.now() - begin) / 1000, isTimedOut });
    };
    child.on('error', (error) => end(127, String(error)));
    child.on('close', (code) => end(code ?? 1));
  });
}

// A signal ends this process through `exit`, and with it the groups above.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

export const toTerminal = (chunk) => process.stdout.write(chunk);
