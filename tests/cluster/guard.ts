import { spawn } from 'node:child_process';

/** Runs a shell script when `release` is called or this process ends, even if killed. `release` resolves after the script. */
export function runOnExit(script: string, args: readonly string[]): { release(): Promise<void> } {
  const child = spawn('sh', ['-c', `trap "" INT TERM HUP; read -r _; ${script}`, 'sh', ...args], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    // The child gets its own session, so that Ctrl-C does not reach it.
    detached: true,
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.unref();
  return {
    release: () => {
      child.ref();
      child.stdin?.end();
      return gone;
    },
  };
}
