// npm run bench:fanout -- command [ROUNDS] [RANKS PER HOST] [HOSTS]: simulates many hosts on one machine, started by the command
// launcher. Measures wall time until the first figure, and CPU time and memory of the controller. The latter do not depend on
// the number of cores that the hosts share.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { median } from 'simple-statistics';
import { root } from '../e2e/harness.ts';

/** Maximum number of hosts per core for which the wall time is judged; with more hosts it says nothing. */
const hostsPerCore = 4;
const limits = { firstS: 10, megabytes: 500 };

export interface FirstSample {
  wallS: number;
  /** CPU seconds of the controller only. */
  cpuS: number;
  /** Most memory of the controller, MiB. */
  megabytes: number;
  /** Bytes that the controller wrote: to hosts, programs such as kubectl, and files. */
  writtenBytes: number;
}

/** Host addresses: 127.0.0.1 to 127.0.0.200, then 127.0.1.1 and so on. */
const hostsOf = (count: number): string =>
  Array.from({ length: count }, (_, i) => `127.0.${Math.floor(i / 200)}.${(i % 200) + 1}`).join(',');

async function usedBy(pid: number): Promise<Omit<FirstSample, 'wallS'>> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number) as [number, number];
  const peakKb = /^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
  const written = /^wchar: (\d+)/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1];
  return {
    ...{ cpuS: (user + system) / 100, megabytes: Number(peakKb) / 1024 },
    writtenBytes: Number(written),
  };
}

/**
 * Runs an allreduce of 8 bytes until its first figure.
 * @param words options that select hosts and launcher
 * @param prefix words before the command
 * @throws Error if the command ends without a figure
 */
export function firstFigure(
  words: readonly string[],
  out: string,
  prefix: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<FirstSample> {
  const cli = path.join(root, 'dist', 'bin', 'collbench.js');
  const all = ['allreduce', ...words, '--sizes', '8', '--launches', '1', '--iters', '1', '--out', out];
  const [program = '', ...args] = [...prefix, process.execPath, cli, ...all];
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(program, args, {
      env: { ...process.env, ...env, NO_COLOR: '1', COLLBENCH_LIVE: '1' },
    });
    let text = '';
    let first: Promise<FirstSample> | null = null;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (first !== null || !/^ +8 +2 /m.test(text)) return;
        const wallS = (performance.now() - begin) / 1000;
        first = usedBy(child.pid as number).then((used) => ({ wallS, ...used }));
      });
    child.on('error', reject);
    child.on('close', () => {
      if (first === null) reject(new Error(`no figure:\n${text}`));
      else resolve(first);
    });
  });
}

/** @returns exit code: 0 = within the limits, 1 = not */
export async function fanoutByCommand(rounds: number, ranks: number, hosts: number): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-fanout-'));
  try {
    const all: FirstSample[] = [];
    const launcher = ['--launcher', 'command:env TEST_HOST={host} {agent}'];
    const words = ['--hosts', hostsOf(hosts), '--ranks-per-node', String(ranks), ...launcher];
    for (let round = 0; round < rounds; round += 1)
      all.push(await firstFigure(words, path.join(folder, `run-${round}`)));
    const wallS = median(all.map((one) => one.wallS));
    const megabytes = Math.max(...all.map((one) => one.megabytes));
    const cpuS = median(all.map((one) => one.cpuS));
    const isJudged = availableParallelism() * hostsPerCore >= hosts * ranks;
    const judged = isJudged ? `limit ${limits.firstS}` : `not judged: ${availableParallelism()} cores`;
    console.log(`${hosts} hosts, ${ranks} ranks each: first figure after ${wallS.toFixed(1)} s (${judged})`);
    console.log(
      `controller until then: ${cpuS.toFixed(2)} s of CPU, ${megabytes.toFixed(0)} MB (limit ${limits.megabytes})`,
    );
    return megabytes <= limits.megabytes && (!isJudged || wallS <= limits.firstS) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
