// test: up to 90 s
// Every error, and every bad verdict, of a command that measures nothing ends with the next command to type, and this command works.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { allCommands } from '../../bin/commands/index.ts';
import { readLine } from '../../bin/line/read.ts';
import { argumentsOf } from '../../bin/line/syntax.ts';
import { isMeasuring } from '../../suites/workloads/index.ts';
import { type ProcessResult, withFolder } from './harness.ts';
import { linesThatMeasureNothing, quietWords, runLines } from './support/lines.ts';
import { problemOf, splitShellWords, suggestedCommands, wordsWithoutMeasuring } from './support/next.ts';
import { storedSuite, writeStored } from './support/stored.ts';

const commands = await allCommands();

test('the table of lines has every command that measures nothing', () => {
  const names = commands.map(({ name }) => name).filter((name) => !isMeasuring(name));
  assert.deepEqual(Object.keys(quietWords).sort(), names.sort());
});

/** Commands that measure for minutes and have no --plan-only: their suggested lines are only parsed. */
const measuring = ['aa', 'conformance', 'explain', 'pairs', 'tune', 'resume'];

function assertValid(line: string): void {
  const [name, ...words] = splitShellWords(line);
  const syntax = commands.find((command) => command.name === name);
  assert.ok(syntax !== undefined, line);
  if (!words.includes('--help')) readLine(syntax, words);
}

const hasMessage = ({ stdout, stderr }: ProcessResult): boolean =>
  /^collbench: /m.test(stderr) || /^verdict: /m.test(stdout);

/** Commands that remove runs are tried last. */
const removesLast = (a: string, b: string): number =>
  Number(a.startsWith('rm ')) - Number(b.startsWith('rm '));

const carryOut = (lines: readonly string[], cwd: string) =>
  runLines(lines.map((line) => ({ words: wordsWithoutMeasuring(line), cwd, columns: 400 })));

for (const hasRuns of [false, true])
  test(`errors end with a next command that works, ${hasRuns ? 'runs stored' : 'nothing stored'}`, async () => {
    await withFolder(async (cwd) => {
      if (hasRuns) await writeStored(cwd);
      const lines = linesThatMeasureNothing();
      const ended = await carryOut(lines, cwd);
      const errors = lines.flatMap((line, i) => {
        const result = ended[i];
        return result !== undefined && hasMessage(result) && result.code !== 0 ? [{ line, result }] : [];
      });
      assert.ok(errors.length > 50, String(errors.length));
      const without = errors.filter(
        ({ result: { stdout, stderr } }) => !/^ *Next: /m.test(`${stdout}\n${stderr}`),
      );
      assert.deepEqual(
        without.map(({ line, result }) => `${line}\n${result.stderr}`),
        [],
      );
      const all = [...new Set(errors.flatMap(({ result }) => suggestedCommands(result)))];
      const measures = (line: string) => measuring.includes(line.split(' ')[0] ?? '');
      for (const line of all.filter(measures)) assertValid(line);
      const suggested = all.filter((line) => !measures(line)).sort(removesLast);
      const tried = await carryOut(suggested, cwd);
      assert.deepEqual(
        suggested.flatMap((line, i) => problemOf(line, tried[i] as (typeof tried)[number]) ?? []),
        [],
      );
    });
  });

/** Words after the name of a command with which it takes a suite. */
const takesSuites = new Set(['report', 'export', 'baseline set', 'baseline learn']);

test('a suite in place of a run: the command takes it, or names its runs and how to list them', async () => {
  await withFolder(async (cwd) => {
    await writeStored(cwd);
    const folder = path.join('collbench-runs', `2026-11-21T01-00-00Z-suite-nightly-${storedSuite.id}`);
    const ofRuns = commands.filter(({ command }) => argumentsOf(command).some(({ name }) => name === 'run'));
    const lines = [storedSuite.id, folder].flatMap((suite) => [
      ...ofRuns.map(({ name }) => `${name} ${suite}`),
      ...[
        `compare ${suite} last`,
        `link fit ${suite}`,
        `link fit last --unpaced ${suite}`,
        `replay ${suite}`,
      ],
      ...[`model last --measured ${suite}`, `baseline learn last ${suite}`, `baseline set ${suite}`],
    ]);
    lines.push(`topo ${folder}`);
    const ended = await carryOut(lines, cwd);
    for (const [i, line] of lines.entries()) {
      const { code, stderr = '' } = ended[i] ?? {};
      if ([...takesSuites].some((command) => line.startsWith(command))) continue;
      if (line.startsWith('compare') && !line.includes('last')) continue;
      assert.equal(code, 2, `${line}\n${stderr}`);
      assert.match(stderr, /is suite nightly with 2 runs, and here one run is needed/, line);
      for (const id of storedSuite.runs) assert.ok(stderr.includes(`${id} (`), `${line}\n${stderr}`);
      assert.match(stderr, new RegExp(`^Next: collbench runs --filter ${storedSuite.id}$`, 'm'), line);
    }
  });
});

test('a stored run or suite in place of the name of a suite to measure', async () => {
  await withFolder(async (cwd) => {
    await writeStored(cwd);
    const [run = ''] = storedSuite.runs;
    const ended = await carryOut([`suite ${run}`, 'suite monday', `suite ${storedSuite.id}`], cwd);
    for (const [i, [word, kind]] of Object.entries({
      [run]: 'run',
      monday: 'run',
      abcdef: 'suite',
    }).entries()) {
      const { code, stderr = '' } = ended[i] ?? {};
      assert.equal(code, 2, stderr);
      assert.match(stderr, new RegExp(`^collbench: suite ${word}: a stored ${kind};`));
      assert.match(stderr, new RegExp(`^Next: collbench report ${word}$`, 'm'));
    }
  });
});
