// npm run bench:estimates: compares estimated with real durations of runs with a small budget. Exit 1 if the typical ratio is
// beyond a factor of 2.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from 'simple-statistics';
import { command } from '../e2e/harness.ts';

const limit = 2;
const [onlyFirst] = process.argv.slice(2).map(Number);
const lines = [
  'allreduce --sizes 8,64K,1M --budget 5s',
  'allreduce --max 4M --budget 10s',
  'allreduce --sizes 1M,4M --transport sisci --link pcie-gen3-x8 --launches 5 --budget 8s',
  'allreduce --max 64K --transport socket,sisci,shm --budget 10s',
  'allreduce --sizes 8,1K --op sum,prod,min,max --budget 6s',
  'allgather --max 1M --factor 4 --budget 6s',
  'reducescatter --sizes 64M --budget 8s',
  'broadcast --sizes 8 --budget 5s',
  'alltoall --ranks 3 --sizes 8,64K --budget 6s',
  'allreduce --sizes 64K --transport shm --precision 20% --budget 12s',
  'put --max 64K --factor 16 --budget 6s',
  'get --sizes 8,4K --budget 5s',
  'pingpong --max 1M --factor 4 --transport shm --budget 8s',
  'exchange --sizes 1K,1M --budget 6s',
  'controlpath --puts 32 --per-doorbell 1,32 --max 64K --factor 8 --budget 12s',
  'controlpath --path host,kernel --max 1K --budget 8s',
  'stencil --budget 8s',
  'replay resnet50 --budget 12s',
  'replay mobilenet_v3_large --transport shm --budget 10s',
  'incast --sizes 8,64K --ranks 4 --budget 6s',
].slice(0, onlyFirst);

interface EstimatePlan {
  estimateS: number;
  sampling: { adaptive?: { budgetS: number } };
}

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-estimates-'));
const text = (seconds: number): string => seconds.toFixed(1).padStart(10);

/** @throws {Error} if the command fails, except for a budget that is too short */
function run(words: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(command, words, { cwd: folder, encoding: 'utf8' });
  const isShort = status === 2 && stderr.includes('time budget');
  if (status !== 0 && !isShort)
    throw new Error(`collbench ${words.join(' ')}: exit code ${status}\n${stderr}`);
  return stdout;
}

/**
 * Runs a command line.
 * @returns seconds that it took, and the budget and estimate of its plan
 */
function measure(line: string): { budgetS: number; estimateS: number; tookS: number } {
  const words = line.split(' ');
  const { estimateS, sampling } = JSON.parse(run([...words, '--plan-only', '--json'])) as EstimatePlan;
  const began = performance.now();
  run(words);
  return {
    budgetS: sampling.adaptive?.budgetS ?? Number.NaN,
    estimateS,
    tookS: (performance.now() - began) / 1000,
  };
}

try {
  const ratios: number[] = [];
  const beyond: number[] = [];
  console.log(
    `${'budget, s'.padStart(10)} ${'estimated'.padStart(10)} ${'taken'.padStart(10)}  ratio  command`,
  );
  for (const line of lines) {
    try {
      const { budgetS, estimateS, tookS } = measure(line);
      const ratio = tookS / estimateS;
      ratios.push(Math.max(ratio, 1 / ratio));
      beyond.push(tookS / budgetS);
      console.log(
        `${text(budgetS)} ${text(estimateS)} ${text(tookS)} ${ratio.toFixed(2).padStart(6)}  ${line}`,
      );
    } catch (error) {
      console.log(`${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  }
  const typical = median(ratios);
  const within = ratios.filter((ratio) => ratio <= limit).length;
  console.log(
    `${ratios.length} runs: estimate off by a factor of ${typical.toFixed(2)} typically, ${Math.max(...ratios).toFixed(2)} at most; ${within} within ${limit}; ${Math.max(...beyond).toFixed(2)} times the budget at most`,
  );
  if (typical > limit) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
