// npm run bench:sampler: cost of sampling the system load, and its effect on allreduces of two ranks of this machine. Blocks
// with and without sampling alternate within one launch, in an order that changes from round to round; `vmstat 1` is measured
// for comparison. Exit 0: cost within the goals; 1: above one of them; 2: a required program is missing.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from 'simple-statistics';
import { AgentLine, type BenchMessage } from './agent-line.ts';
import { signInterval } from './sign-interval.ts';

const home = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const nativeFolder = process.env.COLLBENCH_NATIVE_DIR || path.join(home, 'build', 'native');

/** Goals: maximum share of one core by sampling interval, and memory of the agent with its sampler in bytes. */
const goals = [
  { intervalUs: 200_000, cpuShare: 0.002 },
  { intervalUs: 1000, cpuShare: 0.05 },
];
const residentGoal = 8 * 2 ** 20;
const sizes = [8, 64 * 2 ** 20];
const targetNs = 200e6;

const percent = (share: number): string => `${(100 * share).toFixed(3)} %`;
const us = (ns: number): string => `${(ns / 1000).toFixed(2)} us`;

/** Cost of an idle agent that samples every source for some seconds. */
async function cost(intervalUs: number, seconds: number): Promise<BenchMessage & { wallNs: number }> {
  const agent = new AgentLine(nativeFolder);
  await agent.until('hello');
  const startNs = process.hrtime.bigint();
  agent.send({ type: 'sample', intervalUs, sources: null });
  const { channels, failed } = await agent.until('sampling');
  await setTimeout(seconds * 1000);
  agent.send({ type: 'unsample' });
  const sampled = await agent.until('sampled');
  const wallNs = Number(process.hrtime.bigint() - startNs);
  await agent.end();
  return { ...sampled, channels: channels.length, absent: failed.length, wallNs };
}

interface LoadCondition {
  name: string;
  begin(agent: AgentLine): Promise<() => Promise<void>>;
}

const sampling = (name: string, intervalUs: number): LoadCondition => ({
  name,
  async begin(agent) {
    agent.send({ type: 'sample', intervalUs, sources: null });
    await agent.until('sampling');
    return async () => {
      agent.send({ type: 'unsample' });
      await agent.until('sampled');
    };
  },
});

const conditions: LoadCondition[] = [
  { name: 'off', begin: async () => async () => {} },
  sampling('200 ms', 200_000),
  sampling('1 ms', 1000),
];

const vmstat: LoadCondition = {
  name: 'vmstat 1',
  async begin() {
    const peer: ChildProcess = spawn('vmstat', ['-n', '1'], { stdio: ['ignore', 'pipe', 'ignore'] });
    peer.stdout?.resume();
    const over = new Promise<void>((resolve) => peer.once('close', () => resolve()));
    return async () => {
      peer.kill();
      await over;
    };
  },
};

/** CPU share of `vmstat 1` over some seconds, from /proc/PID/schedstat. */
async function vmstatCost(seconds: number): Promise<number> {
  const peer = spawn('vmstat', ['-n', '1'], { stdio: ['ignore', 'ignore', 'ignore'] });
  await setTimeout(seconds * 1000);
  const [cpuNs] = readFileSync(`/proc/${peer.pid}/schedstat`, 'utf8').split(' ');
  peer.kill();
  return Number(cpuNs) / (seconds * 1e9);
}

/** Medians of blocks in ns: [condition][round]. */
async function effect(bytes: number, rounds: number, among: LoadCondition[]): Promise<number[][]> {
  const agent = new AgentLine(nativeFolder);
  await agent.until('hello');
  await agent.launch(2);
  await agent.measure(0, bytes, targetNs); // first touch of the buffers
  const medians: number[][] = among.map(() => []);
  let block = 1;
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < among.length; turn += 1) {
      const which = (round + (round % 2 === 0 ? turn : among.length - turn)) % among.length;
      const end = await (among[which] as LoadCondition).begin(agent);
      medians[which]?.push(median(await agent.measure(block++, bytes, targetNs)));
      await end();
    }
  }
  await agent.end();
  return medians;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '20' }, seconds: { type: 'string', default: '20' } },
  });
  const rounds = Number(values.rounds);
  const seconds = Number(values.seconds);
  if (!(Number.isInteger(rounds) && rounds >= 6 && seconds >= 1))
    throw new RangeError('--rounds N: a whole number from 6; --seconds S: at least 1');
  if (!existsSync(path.join(nativeFolder, 'collbench-agent'))) {
    process.stderr.write(
      `${nativeFolder} has no collbench-agent: npm run build, or set COLLBENCH_NATIVE_DIR\n`,
    );
    return 2;
  }
  let above = 0;
  const judge = (value: number, goal: number) => {
    if (value < goal) return 'within';
    above += 1;
    return 'ABOVE';
  };
  for (const { intervalUs, cpuShare } of goals) {
    const seen = await cost(intervalUs, seconds);
    const share = seen.cpuNs / seen.wallNs;
    process.stdout.write(
      `every ${intervalUs / 1000} ms, ${seen.channels} channels (${seen.absent} sources absent here): ${percent(share)} of a core, ` +
        `${judge(share, cpuShare)} the goal of ${percent(cpuShare)}; ${(seen.residentBytes / 2 ** 20).toFixed(2)} MiB resident, ` +
        `${judge(seen.residentBytes, residentGoal)} the goal of 8 MiB; ${seen.ticks} ticks, ${seen.missedTicks} missed; ` +
        `late by ${us(seen.jitterNs.median)} (median), ${us(seen.jitterNs.p99)} (p99), ${us(seen.jitterNs.max)} (most)\n`,
    );
  }
  const hasVmstat = (process.env.PATH ?? '')
    .split(':')
    .some((folder) => existsSync(path.join(folder, 'vmstat')));
  if (hasVmstat)
    process.stdout.write(`vmstat 1: ${percent(await vmstatCost(Math.min(seconds, 10)))} of a core\n`);
  else process.stdout.write('vmstat 1: not installed (apt-get install procps)\n');
  const among = hasVmstat ? [...conditions, vmstat] : conditions;
  for (const bytes of sizes) {
    const medians = await effect(bytes, rounds, among);
    const off = medians[0] ?? [];
    process.stdout.write(
      `allreduce of ${bytes} B, 2 ranks, socket over lo: ${us(median(off))} without sampling (median of ${rounds} blocks)\n`,
    );
    among.slice(1).forEach(({ name }, i) => {
      const ratios = (medians[i + 1] ?? []).map((ns, round) => ns / (off[round] as number));
      const { low, high, coverage } = signInterval(ratios);
      const verdict = low <= 1 && high >= 1 ? 'within noise' : 'DIFFERENT';
      process.stdout.write(
        `  ${name.padEnd(8)} ${us(median(medians[i + 1] ?? []))}, times ${median(ratios).toFixed(4)} ` +
          `[${low.toFixed(4)}, ${high.toFixed(4)}] (${percent(coverage)} interval of the median ratio): ${verdict}\n`,
      );
    });
  }
  return above === 0 ? 0 : 1;
}

process.exitCode = await main();
