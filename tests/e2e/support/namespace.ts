import { execFileSync } from 'node:child_process';

/** Reason why this process cannot make network namespaces; null if it can. */
export function namespaceProblem(): string | null {
  if (process.getuid?.() !== 0) return 'needs root to make a network namespace';
  try {
    execFileSync('ip', ['netns', 'list'], { stdio: 'ignore' });
    execFileSync('tc', ['-V'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'needs ip and tc to make a network namespace';
  }
}

let made = 0;

/**
 * Creates a network namespace for `body`. No other program uses its loopback, so the counters show only the run's traffic.
 * @param shape arguments of `tc qdisc add dev lo`; empty = no limit
 * @param body gets the arguments to put before a command, so that it runs in the namespace
 */
export async function withNamespace(
  shape: readonly string[],
  body: (prefix: string[]) => Promise<void>,
): Promise<void> {
  const name = `cbtest${process.pid}-${made++}`;
  execFileSync('ip', ['netns', 'add', name]);
  try {
    execFileSync('ip', ['-n', name, 'link', 'set', 'lo', 'up']);
    if (shape.length > 0) execFileSync('tc', ['-n', name, 'qdisc', 'add', 'dev', 'lo', ...shape]);
    await body(['ip', 'netns', 'exec', name]);
  } finally {
    execFileSync('ip', ['netns', 'del', name]);
  }
}
