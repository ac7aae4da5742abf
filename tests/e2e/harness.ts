import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRunningTimer } from '../../orchestration/running-time.ts';

/** Support for end-to-end tests, which run the real command in a temporary folder and then check what it left behind. */

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const command = path.join(root, 'bin', 'collbench');

/**
 * Value for a test's `skip`: false if `available`, else the reason.
 * @throws Error instead where COLLBENCH_REQUIRE_ALL is 1 (CI): there a missing tool (root, a browser, iproute2) is a failure
 */
export function skipUnless(available: boolean, reason: string): false | string {
  if (available) return false;
  if (process.env.COLLBENCH_REQUIRE_ALL === '1')
    throw new Error(`this test may not be skipped here: ${reason}`);
  return reason;
}

export interface ProcessResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A started command. All processes that it starts inherit `marker` in their environment, so that tests can find them. */
export interface StartedProcess {
  child: ChildProcess;
  marker: string;
  ended: Promise<ProcessResult>;
  /** Resolves as soon as the pattern matches stdout or stderr; rejects if the command ends first. */
  sees(pattern: RegExp): Promise<void>;
}

export interface HarnessOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Program and arguments that start collbench, for example ['ip', 'netns', 'exec', 'x']. */
  prefix?: string[];
}

function launch(args: string[], options: HarnessOptions): StartedProcess {
  const marker = randomUUID();
  const [program, ...rest] = [...(options.prefix ?? []), command, ...args] as [string, ...string[]];
  const child = spawn(program, rest, {
    cwd: options.cwd ?? tmpdir(),
    env: { ...process.env, NO_COLOR: '1', LC_ALL: 'C.UTF-8', ...options.env, COLLBENCH_TEST_MARKER: marker },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
      for (const watch of watchers) watch();
    });
  }
  const ended = new Promise<ProcessResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...text }));
  });
  const sees = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const watch = () => {
        if (!pattern.test(text.stdout) && !pattern.test(text.stderr)) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      ended.then(() => {
        watch();
        reject(new Error(`ended without ${pattern}:\n${text.stdout}\n${text.stderr}`));
      }, reject);
      watch();
    });
  return { child, marker, ended, sees };
}

/** Starts a command that prints rows as they are measured, although stdout is no terminal (COLLBENCH_LIVE). */
export const start = (args: string[], options: HarnessOptions = {}): StartedProcess =>
  launch(args, { ...options, env: { COLLBENCH_LIVE: '1', ...options.env } });

export const run = (args: string[], options: HarnessOptions = {}): Promise<ProcessResult> =>
  launch(args, options).ended;

/** Calls `body` with a new temporary folder, which is removed afterwards. */
export async function withFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-e2e-'));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Path of the only run below `folder/collbench-runs`. @throws Error if there is not exactly one */
export async function findOnlyRun(folder: string): Promise<string> {
  const runs = path.join(folder, 'collbench-runs');
  // The index of all runs is a file next to their folders.
  const names = (await readdir(runs, { withFileTypes: true })).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  if (names.length !== 1) throw new Error(`expected one run, found ${names.join(', ')}`);
  return path.join(runs, names[0] as string);
}

/**
 * Processes whose environment contains the marker, with command line and state (one letter as in /proc). On a busy machine hundreds
 * of asynchronous reads would take seconds, and a launch may end before its ranks are found.
 */
export async function processesOf(
  marker: string,
): Promise<{ pid: number; command: string; state: string }[]> {
  const found = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
      if (!environment.includes(marker)) continue;
      const commandLine = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      const state = /^State:\s+(\S)/m.exec(readFileSync(`/proc/${name}/status`, 'latin1'))?.[1] ?? '?';
      found.push({ pid: Number(name), command: commandLine, state });
    } catch {
      // The process ended between these reads.
    }
  }
  return found;
}

export async function rankPids(marker: string): Promise<number[]> {
  return (await processesOf(marker))
    .filter((p) => /collbench-agent\S* rank/.test(p.command))
    .map((p) => p.pid);
}

/**
 * Sends a signal to a rank of the run with this marker. Launches end while the caller looks for their ranks, so a rank that is gone
 * is replaced by one of the next launch. Rejects if the run has ended.
 * @param at index of the rank among those found; -1 = the last one
 * @param find finds the process ids of ranks; absent = of all ranks of the run
 */
export async function signalRank(
  marker: string,
  signal: NodeJS.Signals,
  at: number,
  find: (marker: string) => Promise<number[]> = rankPids,
): Promise<void> {
  for (;;) {
    const pid = (await find(marker)).at(at);
    try {
      if (pid !== undefined) return void process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if ((await processesOf(marker)).length === 0) throw new Error('the run ended before a rank was found');
  }
}

export async function agentPid(marker: string): Promise<number> {
  const agents = (await processesOf(marker)).filter((p) => /collbench-agent(?!\S* rank)/.test(p.command));
  if (agents.length !== 1) throw new Error(`expected one agent, found ${JSON.stringify(agents)}`);
  return (agents[0] as { pid: number }).pid;
}

/** Inode numbers of all sockets that a process has open. */
async function heldSockets(): Promise<Set<string>> {
  const inodes = new Set<string>();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)))
    for (const name of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '');
      inodes.add(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? '');
    }
  return inodes;
}

const collbenchName = /softntb|collbench/i;

/**
 * Sorted names of collbench's shared memory, and of its abstract sockets that no process has open. Tests compare them before and
 * after a command. An open socket belongs to another test or checkout, or to a process that `survivors` reports. Names of other
 * programs do not count: those of Open MPI, for example, stay when a test that runs at the same time kills MPI ranks.
 */
export async function sharedNames(): Promise<string[]> {
  const held = await heldSockets();
  const sockets = (await readFile('/proc/net/unix', 'latin1'))
    .split('\n')
    .map((line) => line.split(/\s+/))
    .filter((columns) => !held.has(columns[6] ?? ''))
    .map((columns) => columns[7] ?? '')
    .filter((name) => name.startsWith('@') && collbenchName.test(name));
  const memory = (await readdir('/dev/shm'))
    .filter((name) => collbenchName.test(name))
    .map((name) => `/dev/shm/${name}`);
  return [...sockets, ...memory].sort();
}

/** Default limit of polling, in milliseconds in which this process runs. Only a hang reaches it. */
export const pollBoundMs = 60_000;

/**
 * Polls every `pauseMs` milliseconds until a list is empty, at most `boundMs`; returns what the list contains at last. Time in which
 * the machine stood still does not count, because nothing could end in it.
 */
export async function pollUntilEmpty<T>(
  list: () => Promise<T[]>,
  boundMs = pollBoundMs,
  pauseMs = 20,
): Promise<T[]> {
  let isOver = false;
  const stopTimer = startRunningTimer(boundMs, () => {
    isOver = true;
  });
  try {
    for (;;) {
      const left = await list();
      if (left.length === 0 || isOver) return left;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } finally {
    stopTimer();
  }
}

/**
 * Waits until no process with the marker is left, at most `boundMs`; returns those that are left. It polls, because the kernel
 * reports the end of a process only to its parent.
 */
export async function survivors(marker: string, boundMs?: number): Promise<string[]> {
  const left = await pollUntilEmpty(
    async () => (await processesOf(marker)).filter((p) => p.state !== 'Z'),
    boundMs,
  );
  return left.map((p) => `${p.pid} ${p.command}`);
}

/**
 * Shared names that are not in `before`. Waits until there is none, at most `boundMs`, because names of other tests appear and
 * vanish, too.
 */
export const newSharedNames = (before: readonly string[], boundMs?: number): Promise<string[]> =>
  pollUntilEmpty(async () => (await sharedNames()).filter((name) => !before.includes(name)), boundMs, 50);

export async function ndjson<T>(file: string): Promise<T[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as T);
}
