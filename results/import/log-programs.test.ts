// test: soak
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixtures, importHints, readFixture } from '../testing/foreign.ts';
import { ImportError, type ImportedOutput } from './imported-output.ts';
import { logPrograms } from './log-programs.ts';
import { readForeign } from './read.ts';

const two = (n: number) => String(n % 60).padStart(2, '0');

/** Changes that launchers, loggers and terminals make to a line; i counts lines. */
const prefixes: Record<string, (line: string, i: number) => string> = {
  'mpirun --tag-output': (line) => `[1,0]<stdout>:${line}`,
  'mpirun --tag-output of Open MPI 5': (line) => `[prterun-vm-77@1,0]<stdout>: ${line}`,
  'mpirun --timestamp-output': (line, i) => `Sun Feb 28 12:00:${two(i)} 2021[1,0]<stdout>:${line}`,
  'srun -l': (line) => `0: ${line}`,
  'srun -l over many ranks': (line) => ` 0: ${line}`,
  pdsh: (line) => `node-a01: ${line}`,
  'MPICH -l': (line) => `[0] ${line}`,
  'docker compose': (line) => `nccl-worker-1  | ${line}`,
  'kubectl logs --timestamps': (line, i) => `2024-07-04T10:05:${two(i)}.123456789Z ${line}`,
  'kubectl logs --prefix': (line) => `[pod/nccl-launcher-x7k2p/main] ${line}`,
  syslog: (line, i) => `Jul  4 10:05:${two(i)} host-a bench[4711]: ${line}`,
  'logging of Python': (line, i) => `2024-07-04 10:05:${two(i)},123 - INFO - ${line}`,
  torchrun: (line) => `[rank0]:${line}`,
  'a quotation': (line) => `> ${line}`,
  'an indented paste': (line) => `    ${line}`,
  'timestamper of Jenkins': (line, i) => `10:05:${two(i)}  ${line}`,
  'ts of moreutils': (line, i) => `Jul 04 10:05:${two(i)} ${line}`,
  'grep -n': (line, i) => `${i + 1}:${line}`,
  'a tag in a time stamp in a tag': (line, i) => `pod-1 2024-07-04T10:05:${two(i)}.1Z [1,0]<stdout>:${line}`,
};

const frames: Record<string, (text: string) => string> = {
  ...Object.fromEntries(
    Object.entries(prefixes).map(([name, change]) => [name, (text: string) => eachLine(text, change)]),
  ),
  'CR LF': (text) => text.replaceAll('\n', '\r\n'),
  'CR CR LF of a terminal': (text) => text.replaceAll('\n', '\r\r\n'),
  colours: (text) => eachLine(text, (line) => `\u001b[0;32m${line}\u001b[0m`),
  'colours behind a tag': (text) => eachLine(text, (line) => `\u001b[36mnccl-1 |\u001b[0m ${line}`),
};

const eachLine = (text: string, change: (line: string, i: number) => string): string =>
  text
    .split('\n')
    .map((line, i, all) => (i === all.length - 1 && line === '' ? '' : change(line, i)))
    .join('\n');

/** The rows of an output without the printed words. */
const figures = ({ rows }: ImportedOutput): string[] =>
  rows.map(({ printed: _, ...row }) => JSON.stringify(row)).sort();

const longestLine = 16_000;
/**
 * True in nightly tests, in which each fixture gets all frames and cuts. Otherwise each gets a part, and all fixtures together
 * get all.
 */
const isSoak = Number(process.env.COLLBENCH_IMPORT_CHANGES ?? 0) > 0;
const share = 4;

for (const [i, [name, fixture]] of Object.entries(fixtures).entries()) {
  test(`${name}: the same rows behind any prefix, in colours and with other line ends`, () => {
    const text = readFixture(name);
    const options = importHints(fixture.hints);
    const whole = readForeign(text, options).found;
    const isLong = text.split('\n').some(({ length }) => length > longestLine);
    // A fixture with prefixes does not get a second one.
    const isPrefixed = logPrograms(text)[0]?.text.trimEnd() !== text.trimEnd() && !text.startsWith('{');
    for (const [k, [what, frame]] of Object.entries(frames).entries()) {
      if (!isSoak && (i + k) % share !== 0) continue;
      if (isLong || (isPrefixed && what in prefixes)) continue;
      const { found, format } = readForeign(frame(text), options);
      assert.equal(format, fixture.format, what);
      assert.deepEqual(figures(found), figures(whole), what);
      assert.equal(found.complete, whole.complete, what);
      assert.equal(found.saysWrong, whole.saysWrong, what);
    }
  });
}

/** Formats whose rows are computed from many records, so that a cut changes their figures. */
const aggregated = ['inspector', 'kineto', 'deepep'];
const cuts = isSoak ? 12 : 4;

for (const [name, fixture] of Object.entries(fixtures)) {
  // If the command above a table is cut off, only --ranks gives the number of ranks.
  if (aggregated.includes(fixture.format) || name === 'osu-5.3-two-rank-counts-made.txt') continue;
  test(`${name}: cut at any line, with and without a tag, no other figures`, () => {
    const options = importHints(fixture.hints);
    const all = new Set(figures(readForeign(readFixture(name), options).found));
    for (const frame of [(text: string) => text, frames['srun -l'] ?? String]) {
      const lines = frame(readFixture(name)).split('\n');
      for (let i = 1; i < cuts; i += 1) {
        const at = Math.ceil((lines.length * i) / cuts);
        for (const part of [lines.slice(0, at).join('\n'), lines.slice(at).join('\n')]) {
          try {
            const { found } = readForeign(part, options);
            const other = figures(found).filter(
              (row) => !all.has(row) && JSON.parse(row).timeNs !== null && !isHalf(row, all),
            );
            assert.deepEqual(other, [], `cut at line ${at}`);
          } catch (error) {
            assert.ok(error instanceof ImportError, `cut at line ${at}: ${error}`);
          }
        }
      }
    }
  });
}

/**
 * True if the row is a known figure with less information: names of data type and memory precede a figure, percentiles follow.
 */
function isHalf(row: string, all: ReadonlySet<string>): boolean {
  const known = JSON.parse(row) as Record<string, unknown>;
  return [...all].some((one) => {
    const whole = JSON.parse(one) as Record<string, unknown>;
    return Object.entries(known).every(
      ([key, value]) =>
        value === whole[key] ||
        value === null ||
        key === 'variant' ||
        (known.dtype === 'unknown' && ['dtype', 'count'].includes(key)),
    );
  });
}

const output = (scale: number, ranks = 2) =>
  [
    `# nThread 1 nGpus ${ranks} minBytes 1048576 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 20`,
    '# Using devices',
    ...Array.from(
      { length: ranks },
      (_, rank) => `#  Rank  ${rank} Group  0 Pid   1887 on   host-a device  ${rank} [0x8d] GPU`,
    ),
    '#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong',
    `     1048576        262144     float     sum      -1 ${(50 * scale).toFixed(2)} ${(20.9715 / scale).toFixed(2)} ${(20.9715 / scale).toFixed(2)} 0 ${(50 * scale).toFixed(2)} ${(20.9715 / scale).toFixed(2)} ${(20.9715 / scale).toFixed(2)} 0`,
    '# Avg bus bandwidth    : 1',
    '',
  ].join('\n');
const both = importHints({ collective: 'allreduce' });
const series = (text: string) =>
  readForeign(text, both).found.rows.map(({ variant, timeNs }) => [variant, timeNs]);
const interleaved = (...logs: string[]): string => {
  const lines = logs.map((log) => log.trimEnd().split('\n'));
  const rounds = Math.max(...lines.map(({ length }) => length));
  return `${Array.from({ length: rounds }, (_, i) => lines.flatMap((one) => one[i] ?? []))
    .flat()
    .join('\n')}\n`;
};

test('two hosts in one log, line by line: two programs, told apart by their tags', () => {
  const log = interleaved(
    eachLine(output(1), (line) => `host-a: ${line}`),
    eachLine(output(2), (line) => `host-b: ${line}`),
  );
  assert.deepEqual(series(log), [
    ['host-a', 50_000],
    ['host-a', 50_000],
    ['host-b', 100_000],
    ['host-b', 100_000],
  ]);
});

test('two ranks that each measured alone: told apart by their tags, refused without', () => {
  const tagged = interleaved(
    eachLine(output(1), (line) => `[1,0]<stdout>:${line}`),
    eachLine(output(2), (line) => `[1,1]<stdout>:${line}`),
  );
  assert.deepEqual(
    series(tagged).map(([variant]) => variant),
    ['[1,0]', '[1,0]', '[1,1]', '[1,1]'],
  );
  assert.throws(() => readForeign(interleaved(output(1), output(2)), both), /2 device lists/);
});

test('messages of other ranks between the lines and within them lose and add nothing', () => {
  const text = eachLine(output(1), (line) => `[1,0]<stdout>:${line}`)
    .replace(/(sum\s+-1 50\.00)/, '$1[1,1]<stderr>:vm:2:2 [1] NCCL INFO x\n[1,0]<stdout>:')
    .replace(/^/gm, '[1,1]<stdout>:vm:7:7 [0] NCCL INFO Channel 00 : 0 -> 1\n');
  assert.deepEqual(series(text), [
    ['', 50_000],
    ['', 50_000],
  ]);
});

test('rows with another tag than the first lines are left out, and it says so', () => {
  const lines = eachLine(output(1), (line) => `0: ${line}`);
  const row =
    output(3)
      .split('\n')
      .find((line) => /^ +1048576/.test(line)) ?? '';
  const { found } = readForeign(`1: ${row}\n${lines}`, both);
  assert.equal(found.rows.length, 2);
  assert.match(found.notices.join(), /1 lines that look like rows are left out/);
});

test('programs one behind the other are apart; of other numbers of ranks they are refused', () => {
  assert.deepEqual(series(output(1) + output(2)), [
    ['program 1', 50_000],
    ['program 1', 50_000],
    ['program 2', 100_000],
    ['program 2', 100_000],
  ]);
  assert.throws(
    () => readForeign(output(1) + output(1, 1), both),
    (error) => error instanceof ImportError && /programs of 2 and 1 ranks/.test(error.message),
  );
});

test('names of columns behind rows begin another output, though its first lines are missing', () => {
  const rest = output(2).split('\n');
  const names = rest.findIndex((line) => /^# +size/.test(line));
  const log = `${output(1).split('\n').slice(0, -2).join('\n')}\n${rest.slice(names).join('\n')}`;
  const { rows, complete } = readForeign(log, importHints({ collective: 'allreduce', ranks: 2 })).found;
  assert.deepEqual(
    rows.map(({ variant, timeNs }) => [variant, timeNs]),
    [
      ['program 1', 50_000],
      ['program 1', 50_000],
      ['program 2', 100_000],
      ['program 2', 100_000],
    ],
  );
  assert.equal(complete, false);
});

test('a sentence that names a first line is no prefix', () => {
  const [program] = logPrograms(`I see # Using devices here\n${output(1)}`);
  assert.ok(program?.text.includes(output(1)));
});

test('a size is no line number, though a line with a number has a first line behind it', () => {
  const text = `12 # Using devices\n${output(1)}`;
  assert.ok(logPrograms(text)[0]?.text.includes('     1048576        262144'));
});

test('tables of two formats in one log: a format that was named gets its own rows alone', () => {
  const osu = `# OSU MPI Latency Test v7.5
# Size       Latency (us)
0   1.25
8   1.50
`;
  const copies = readFixture('nvbandwidth-0.8-text-made.txt');
  const nccl = readFixture('nccl-tests-2.17.9-alltoall-made.txt');
  const rowsOf = (log: string, format: 'osu' | 'nccl-tests') => {
    const { rows, notices } = readForeign(log, importHints(), format).found;
    return { rows: rows.length, notices: notices.join('\n') };
  };
  const alone = readForeign(nccl, importHints()).found.rows.length;
  for (const log of [`${osu}${copies}`, `${osu}${nccl}`, `${nccl}${osu}`, `${copies}${nccl}${osu}`]) {
    assert.throws(() => readForeign(log, importHints()), /the content looks like/);
    const { rows, notices } = rowsOf(log, 'osu');
    assert.equal(rows, 2, notices);
    assert.match(notices, /tables of [a-z -]+ are left out: import them by a command of their own/);
    assert.doesNotMatch(notices, /a line/);
    if (log.includes(nccl)) assert.equal(rowsOf(log, 'nccl-tests').rows, alone);
  }
});
