// Merges included files with the file that includes them: later options replace earlier ones. Entries are never replaced
// silently.
import { SuiteError } from './error.ts';
import type { PartTree, SuitePart } from './part.ts';
import type { EntryDefinition, ResolvedSuite, SuiteFile, SuiteText } from './types.ts';

/** Default of `detect` in suite files: the smallest relative change that `suite --gate` must be able to detect; 0.1 = 10 %. */
export const defaultDetect = 0.1;

/**
 * Merges a suite file with the files that it includes. The included files come first, in the order of their includes; later options
 * replace earlier ones. An included entry can be changed only by `override`.
 * @param name name of the suite: the file's name without ".yaml"
 * @param files all files that were read, with their hashes
 * @param shown path of the suite file for messages
 * @throws SuiteError if two files have an entry of the same name, `override` or `drop` names no included entry, there are no
 * entries, `unless` names no other entry, or `detect` is no share
 */
export function merge(tree: PartTree, name: string, files: SuiteFile[], shown: string): ResolvedSuite {
  const suite: ResolvedSuite = {
    name,
    title: name,
    files,
    options: new Map(),
    environment: new Map(),
    anchor: null,
    detect: defaultDetect,
    entries: new Map(),
  };
  add(suite, tree);
  suite.title = tree.part.title?.text ?? name;
  if (suite.entries.size === 0) {
    throw new SuiteError(shown, 'no entries', ['  allowed: entries: {first: {collective: allreduce}}']);
  }
  // `unless` may name an entry that the suite drops; it then has no effect.
  const known = namesIn(tree);
  for (const { unless, name: entry } of suite.entries.values()) {
    const odd = unless.find(({ text }) => !known.includes(text) || text === entry);
    if (odd === undefined) continue;
    throw new SuiteError(odd.at, `unless ${odd.text}: no other entry has that name`, [], {
      word: odd.text,
      known: known.filter((one) => one !== entry),
    });
  }
  return suite;
}

const namesIn = ({ included, part }: PartTree): string[] => [
  ...included.flatMap(namesIn),
  ...part.entries.map(({ name }) => name),
];

function add(suite: ResolvedSuite, { included, part }: PartTree): void {
  for (const child of included) add(suite, child);
  lay(suite.options, part.options);
  lay(suite.environment, part.environment);
  suite.anchor = part.anchor ?? suite.anchor;
  if (part.detect !== null) suite.detect = shareOf(part.detect);
  for (const { text, at } of part.drop) {
    if (!suite.entries.delete(text)) throw unknownEntry(suite, text, at, 'drop');
  }
  for (const change of part.override) {
    const entry = suite.entries.get(change.name);
    if (entry === undefined) throw unknownEntry(suite, change.name, change.at, 'override');
    suite.entries.set(change.name, changed(entry, change));
  }
  for (const entry of part.entries) {
    const there = suite.entries.get(entry.name);
    if (there !== undefined) {
      throw new SuiteError(entry.at, `${entry.name}: an entry of that name is included already`, [
        `  it is in ${there.at.file}:${there.at.line}; to change it, write it under override`,
      ]);
    }
    suite.entries.set(entry.name, entry);
  }
}

function unknownEntry(
  { entries }: ResolvedSuite,
  word: string,
  at: SuiteText['at'],
  key: string,
): SuiteError {
  return new SuiteError(at, `${key} ${word}: no included entry has that name`, [], {
    word,
    known: [...entries.keys()],
  });
}

function lay(below: Map<string, SuiteText>, above: ReadonlyMap<string, SuiteText>): void {
  for (const [name, written] of above) below.set(name, written);
}

function changed(entry: EntryDefinition, change: SuitePart['override'][number]): EntryDefinition {
  const options = new Map(entry.options);
  const environment = new Map(entry.environment);
  const matrix = new Map(entry.matrix);
  // An option that an override sets is removed from the matrix, and an axis that it adds is removed from the options.
  for (const name of change.options.keys()) matrix.delete(name);
  for (const name of change.matrix.keys()) options.delete(name);
  lay(options, change.options);
  lay(environment, change.environment);
  for (const [name, values] of change.matrix) matrix.set(name, values);
  return {
    ...entry,
    collectives: change.collectives ?? entry.collectives,
    isOptional: change.isOptional ?? entry.isOptional,
    unless: change.unless ?? entry.unless,
    options,
    environment,
    matrix,
    exclude: [...entry.exclude, ...change.exclude],
  };
}

/**
 * Parses a share such as "5%" or "0.05".
 * @throws SuiteError if it is not above 0 and at most 1
 */
function shareOf({ text, at }: SuiteText): number {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(text.trim()) ?? [];
  const share = Number(digits) / (percent === '%' ? 100 : 1);
  if (share > 0 && share <= 1) return share;
  throw new SuiteError(at, `detect ${text}: not a share of the time`, [
    '  allowed: 1% to 100%, or 0.01 to 1',
  ]);
}
