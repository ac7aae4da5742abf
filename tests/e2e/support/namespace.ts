import { execFileSync } from 'node:child_process';

/** Why this process cannot make network namespaces, or null. */
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
 * A network namespace with a loopback of its own, which nobody else uses: what its counters say is of the run alone.
 * @param shape arguments of `tc qdisc add dev lo`; none = as fast as it goes
 * @param body gets the command to run others through
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
