// Starts programs for the test command.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * Runs a command in the root of the checkout; `show` gets its output as it arrives. A command that still runs after `limitMs`
 * is killed, with all processes that it started.
 * @returns {Promise<{ code: number, output: string, seconds: number, isTimedOut: boolean }>}
 */
export function run([command, ...args], { env = {}, show, limitMs } = {}) {
  return new Promise((resolve) => {
    const begin = Date.now();
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A command with a limit gets its own process group, so that all of it can be killed. Without, Ctrl-C reaches it directly.
      detached: limitMs !== undefined,
    });
    let output = '';
    let isTimedOut = false;
    const kill = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The process group has already ended.
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

// A signal ends this process through its `exit` event, whose handlers kill the process groups.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

export const toTerminal = (chunk) => process.stdout.write(chunk);
