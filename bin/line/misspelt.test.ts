// Misspelt options and values of every command: the answer is the line that the user meant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestWord } from '../../results/nearest.ts';
import { Refusal } from '../../results/refusals/refusal.ts';
import { refusalWording } from '../../results/refusals/words.ts';
import { isSwitch, namesOf, type OptionRow, optionName, shownRows } from '../../suites/options/option.ts';
import { allCommands } from '../commands/index.ts';
import { readLine } from './read.ts';
import { argumentsOf, type CommandSyntax } from './syntax.ts';

const commands = await allCommands();
/** Every option once: those that commands share are read by the same code. */
const options = [
  ...new Map(
    commands.flatMap((syntax) =>
      Object.entries(shownRows(syntax.options)).map(
        ([key, row]) => [key, { syntax, row, name: optionName(key) }] as const,
      ),
    ),
  ).values(),
];

/** The next step after the refusal of these words; undefined if they are refused without one. */
function nextAfter(syntax: CommandSyntax, words: readonly string[]): unknown {
  try {
    readLine(syntax, words);
  } catch (error) {
    if (error instanceof Refusal) return refusalWording(error).next;
    throw error;
  }
  return assert.fail(`${syntax.name} ${words.join(' ')} is valid`);
}

const needed = ({ command }: CommandSyntax): string[] =>
  argumentsOf(command).flatMap(({ isRequired }) => (isRequired ? ['x'] : []));

/** A valid value of the option: a word that completion offers, or that of its example; null if none is known. */
function usualValue(name: string, { choices, example = '' }: OptionRow): string | null {
  const [, shown] = new RegExp(`--${name} (\\S+)`).exec(example) ?? [];
  return choices?.[0] ?? shown?.replaceAll("'", '') ?? null;
}

const swapped = (word: string): string => word.replace(/^(.)(.)(.)/, '$1$3$2');

test('a misspelt option of any command is answered with the right one in its place', () => {
  let answered = 0;
  for (const { syntax, row, name } of options) {
    const names = Object.keys(syntax.options).map(optionName);
    const typed = swapped(name);
    const value = isSwitch(row) ? [] : [usualValue(name, row)];
    if (names.includes(typed) || nearestWord(typed, names) !== name || value.includes(null)) continue;
    const words = [...needed(syntax), `--${typed}`, ...value.map(String)];
    const line = `${syntax.name} ${words.join(' ')}`;
    assert.deepEqual(nextAfter(syntax, words), { rename: { [`--${typed}`]: `--${name}` } }, line);
    answered += 1;
  }
  assert.ok(answered > 100, String(answered));
});

test('no synonym of an option is another option of the same command, or a synonym of one', () => {
  for (const { name, options: rows } of commands) {
    const names = Object.entries(rows).flatMap(([key, row]) => namesOf(key, row));
    const synonyms = Object.values(rows).flatMap(({ synonyms: own = [] }) => own);
    const repeated = [...names, ...synonyms].filter((word, at, all) => all.indexOf(word) !== at);
    assert.deepEqual(repeated, [], name);
  }
});

test('a name of other programs for an option is answered with the option', () => {
  const answered = options.filter(({ syntax, row, name }) => {
    const [synonym] = row.synonyms ?? [];
    const value = isSwitch(row) ? [] : [usualValue(name, row)];
    if (synonym === undefined || value.includes(null)) return false;
    const words = [...needed(syntax), `--${synonym}`, ...value.map(String)];
    const line = `${syntax.name} ${words.join(' ')}`;
    assert.deepEqual(nextAfter(syntax, words), { rename: { [`--${synonym}`]: `--${name}` } }, line);
    return true;
  });
  assert.ok(answered.length > 25, String(answered.length));
});

/** Names that users of MPI, nccl-tests, git and of other commands of collbench type, and the option that is meant. */
for (const [line, option] of [
  ['history --runs mine', '--root'],
  ['show x --runs mine', '--root'],
  ['site public --root mine', '--runs'],
  ['allreduce --np 4', '--ranks'],
  ['allreduce --size 1M', '--sizes'],
  ['allreduce --library nccl', '--engine'],
  ['allreduce --machinefile nodes.txt', '--hostfile'],
  ['allreduce --dry-run', '--plan-only'],
  ['suite smoke --dry-run', '--plan-only'],
  ['report x --output-dir there', '--out'],
  ['history --from 2026-11-01', '--since'],
  ['show x --plot', '--chart'],
] as const)
  test(`${line}: ${option} is meant`, () => {
    const [name = '', ...words] = line.split(' ');
    const syntax = commands.find((one) => one.name === name) as CommandSyntax;
    const typed = words.find((word) => word.startsWith('--')) ?? '';
    assert.deepEqual(nextAfter(syntax, words), { rename: { [typed]: option } });
  });

test('a misspelt word of any fixed list is answered with the right one, also within a list', () => {
  let answered = 0;
  for (const { syntax, row, name } of options) {
    const known = row.choices ?? [];
    for (const word of known.filter((one) => /^[a-z]\w{3,}$/i.test(one))) {
      const typed = swapped(word);
      const words = [...needed(syntax), `--${name}`, typed];
      if (typed === word || nearestWord(typed, known) !== word || isValid(syntax, words)) continue;
      const line = `${syntax.name} ${words.join(' ')}`;
      assert.deepEqual(nextAfter(syntax, words), { change: { [name]: word } }, line);
      answered += 1;
    }
  }
  assert.ok(answered > 40, String(answered));
});

/** True for options whose value is checked only when hosts are known, such as --transport. */
function isValid(syntax: CommandSyntax, words: readonly string[]): boolean {
  try {
    readLine(syntax, words);
    return true;
  } catch {
    return false;
  }
}

const allreduce = commands.find(({ name }) => name === 'allreduce') as CommandSyntax;
for (const [words, next] of [
  [['--op', 'sum,mxa'], { change: { op: 'sum,max' } }],
  [['--algoo=ring', '--no-verbse'], { rename: { '--algoo': '--algo', '--no-verbse': '--no-verbose' } }],
  [['--algoo', 'ring', '--launches', '0'], 'collbench help options'],
  [['--zzz'], 'collbench help options'],
] as const)
  test(`allreduce ${words.join(' ')}: ${JSON.stringify(next)}`, () =>
    assert.deepEqual(nextAfter(allreduce, words), next));
