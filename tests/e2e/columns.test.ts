// test: up to 90 s
// Every command that measures nothing, in terminals of 80 and 60 columns, with stored runs and without, with right and wrong
// words: no line is wider than the terminal, and a narrow terminal loses no words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allCommands } from '../../bin/commands/index.ts';
import { type ProcessResult, withFolder } from './harness.ts';
import { linesThatMeasureNothing, runLines } from './support/lines.ts';
import { writeStored } from './support/stored.ts';

/** A line that cannot be broken: a command to copy, or one word, such as a path, with at most a word before it. */
const isWhole = (line: string): boolean => /^ *(?:Next: .*|collbench .*|(?:\S+ )?\S+)$/.test(line);

const tooWide = ({ stdout, stderr }: ProcessResult, columns: number): string[] =>
  `${stdout}\n${stderr}`.split('\n').filter((line) => [...line].length > columns && !isWhole(line));

const wordsOf = ({ stderr }: ProcessResult): string => stderr.replaceAll(/\s+/g, ' ');

/** Lists of data, of which a pipe gets one line per entry whatever the width is. */
const isList = (line: string): boolean => /^runs\b/.test(line);

for (const [where, lines, widths] of [
  ['runs stored', linesThatMeasureNothing(), [80, 60]],
  ['nothing stored', (await allCommands()).map(({ name }) => `${name} --help`), [60]],
] as const)
  test(`no line is wider than the terminal, and none of its words is lost, ${where}`, async () => {
    const results = await Promise.all(
      widths.map((columns) =>
        withFolder(async (cwd) => {
          await writeStored(cwd);
          const ended = await runLines(lines.map((line) => ({ words: line.split(' '), cwd, columns })));
          return ended.map((one) => ({ ...one, stderr: one.stderr.replaceAll(cwd, '') }));
        }),
      ),
    );
    const problems = lines.flatMap((line, i) => {
      const [first, ...others] = results.map((all) => all[i] as ProcessResult);
      const wide = widths.flatMap((columns, at) => tooWide(results[at]?.[i] as ProcessResult, columns));
      const isCut = others.some((other) => first !== undefined && wordsOf(other) !== wordsOf(first));
      return isList(line) || (wide.length === 0 && !isCut) ? [] : [`collbench ${line}`, ...wide];
    });
    assert.deepEqual(problems, []);
  });
