// `npm run bench:first-row [-- ROUNDS]`: time until the first verified row is on the screen. Each round starts a command line
// that is rejected after parsing, and the real one under a terminal (`script` of util-linux). The result is the median of the
// difference. Exit 1 above the limit.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { median } from 'simple-statistics';
import { command } from '../e2e/harness.ts';

const limitMs = 300;
const rounds = Number(process.argv[2] ?? 9);
const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-first-row-'));
const words = ['allreduce', '--max', '1K', '--transport', 'socket', '--budget', '1s'];

function parsedMs(): number {
  const began = performance.now();
  const { status } = spawnSync(command, [...words, '--frobnicate'], { cwd: folder });
  if (status !== 1) throw new Error(`exit code ${status} instead of 1`);
  return performance.now() - began;
}

/** Row of 8 B whose last column reports no wrong values. */
const row = /^ *8 .* [uµ]s .* 0\s*$/m;

/**
 * Milliseconds until the first verified row.
 * @throws {Error} if there is no such row, or the run fails
 */
async function rowMs(): Promise<number> {
  const began = performance.now();
  const line = [command, ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty rows 40 cols 110; exec ${line}`, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let [text, took] = ['', 0];
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk;
    if (took === 0 && row.test(stripVTControlCharacters(text))) took = performance.now() - began;
  }
  if (took === 0) throw new Error(`no row of 8 B:\n${text}`);
  return took;
}

try {
  parsedMs();
  await rowMs();
  const [parsed, rows]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    parsed.push(parsedMs());
    rows.push(await rowMs());
  }
  const ms = median(rows) - median(parsed);
  const isLate = ms > limitMs;
  if (isLate) process.exitCode = 1;
  console.log(
    `collbench ${words.join(' ')}: first verified row ${ms.toFixed(0)} ms after the command line is parsed (limit ${limitMs} ms; medians of ${rounds}: row ${median(rows).toFixed(0)} ms, parsed ${median(parsed).toFixed(0)} ms)${isLate ? ': TOO SLOW' : ''}`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
