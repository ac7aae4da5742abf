import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type ProcessResult, pollBoundMs, pollUntilEmpty } from '../e2e/harness.ts';

/** Runs a program to its end; rejects only when it cannot be started. */
export function execute(
  program: string,
  args: readonly string[],
  options: { input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'pipe', env: options.env ?? process.env });
    const text = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        text[name] += chunk;
      });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...text }));
    // A program that does not read stdin may exit before all input is written; this is no error.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

/** Runs a program that must exit with code 0 and returns its stdout. Rejects with the program's output otherwise. */
export async function mustExecute(program: string, args: readonly string[], input?: string): Promise<string> {
  const ran = await execute(program, args, input === undefined ? {} : { input });
  if (ran.code !== 0)
    throw new Error(
      `${program} ${args.join(' ')}: exit ${ran.code ?? ran.signal}\n${ran.stderr}${ran.stdout}`,
    );
  return ran.stdout;
}

/**
 * Polls every 5 ms until `done` returns true, for changes without a notification. @throws Error with `what`, after this process has
 * run for `boundMs`
 */
export async function pollUntil(
  what: string,
  done: () => boolean | Promise<boolean>,
  boundMs = pollBoundMs,
): Promise<void> {
  const left = await pollUntilEmpty(async () => ((await done()) ? [] : [what]), boundMs, 5);
  if (left.length > 0) throw new Error(`not within ${boundMs} ms: ${what}`);
}

/** Returns the programs that are in no system folder. PATH is not used, because it may lack the sbin folders. */
export function missingPrograms(programs: readonly string[]): string[] {
  const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  return programs.filter((name) => !folders.some((folder) => existsSync(path.join(folder, name))));
}

/** True if this process is root and can create namespaces. */
export function mayUnshare(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    const namespaces = ['--net', '--uts', '--ipc', '--mount', '--pid', '--fork'];
    execFileSync('unshare', [...namespaces, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
