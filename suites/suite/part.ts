// One suite file: the schema checks its shape, the option table its values. Every value keeps its position in the file.
import type { z } from 'zod';
import { isSecret, recordedPrefixes } from '../../results/store/environment.ts';
import { isSwitch, type OptionRows } from '../options/option.ts';
import { ValueError } from '../options/values.ts';
import { type SourcePosition, SuiteError } from './error.ts';
import { entryKeys, entryName, type SuiteSchema, suiteKeys, suiteSchema } from './schema.ts';
import type { EntryDefinition, SuiteOptionTexts, SuiteText } from './types.ts';
import { positionOf, toPlainValue, type YamlItem, type YamlTree } from './yaml.ts';

type EntryOverride = Omit<EntryDefinition, 'collectives' | 'isOptional' | 'unless'> & {
  collectives: SuiteText[] | null;
  isOptional: boolean | null;
  unless: SuiteText[] | null;
};

/** Content of one suite file after the check of its shape and values, without the files that it includes. */
export interface SuitePart {
  file: string;
  title: SuiteText | null;
  include: SuiteText[];
  options: SuiteOptionTexts;
  environment: Map<string, SuiteText>;
  anchor: { at: SourcePosition; options: SuiteOptionTexts; environment: Map<string, SuiteText> } | null;
  detect: SuiteText | null;
  entries: EntryDefinition[];
  override: EntryOverride[];
  drop: SuiteText[];
}

/** A suite file together with the files that it includes, which in turn may include others. */
export interface PartTree {
  included: PartTree[];
  part: SuitePart;
}

/**
 * Checks the content of one suite file and converts it.
 * @param file name of the file in messages
 * @param tree the parsed YAML; null = the file is empty
 * @param vocabulary collectives and options that suite files may contain
 * @throws SuiteError if the file has a wrong shape or an invalid value
 */
export function partOf(file: string, tree: YamlTree | null, vocabulary: SuiteSchema): SuitePart {
  if (tree === null || tree.kind !== 'map') {
    throw new SuiteError(tree?.at ?? file, 'not a suite', [
      '  allowed: a map with entries, as in: entries: {first: {collective: allreduce}}',
    ]);
  }
  const checked = suiteSchema(vocabulary).safeParse(toPlainValue(tree));
  if (!checked.success) throw shapeError(tree, checked.error.issues[0], vocabulary);
  const root = new Map(tree.items.map((item) => [item.key, item]));
  const read = new PartReader(vocabulary.options);
  return {
    file,
    title: textOf(root.get('title')),
    include: listOf(root.get('include')),
    options: read.options(root.get('options')),
    environment: read.environment(root.get('environment')),
    anchor: read.anchor(root.get('anchor')),
    detect: textOf(root.get('detect')),
    entries: childrenOf(root.get('entries')).map((item) => {
      const entry = read.entry(item);
      const { collectives, isOptional, unless } = entry;
      return {
        ...entry,
        collectives: collectives ?? [],
        isOptional: isOptional ?? false,
        unless: unless ?? [],
      };
    }),
    override: childrenOf(root.get('override')).map((item) => read.entry(item)),
    drop: listOf(root.get('drop')),
  };
}

const itemsOf = (tree: YamlTree | undefined): Map<string, YamlItem> =>
  new Map(tree?.kind === 'map' ? tree.items.map((item) => [item.key, item]) : []);
const childrenOf = (item: YamlItem | undefined): YamlItem[] =>
  item?.value.kind === 'map' ? item.value.items : [];

/** Converts a YAML value to the text that a user would type on the command line: a list to text with commas, a map to "". */
function writtenOf(tree: YamlTree): SuiteText {
  const text = tree.kind === 'list' ? tree.items.map((item) => writtenOf(item).text).join(',') : '';
  return { text: tree.kind === 'text' ? tree.text : text, at: tree.at };
}
const textOf = (item: YamlItem | undefined): SuiteText | null =>
  item === undefined ? null : writtenOf(item.value);
const listOf = (item: YamlItem | undefined): SuiteText[] => {
  if (item === undefined) return [];
  return item.value.kind === 'list' ? item.value.items.map(writtenOf) : [writtenOf(item.value)];
};

/** Converts the entries and options of a suite file, and checks each option value with the option's parser. */
class PartReader {
  private readonly known: OptionRows;

  constructor(known: OptionRows) {
    this.known = known;
  }

  /**
   * Options that a map of the suite file sets, by name; other keys are skipped.
   * @param item the map with its key; undefined = the file has no such map
   * @param reserved keys that are not options in this map, even if an option has the same name
   * @throws SuiteError if the command line would reject a value
   */
  options(item: YamlItem | undefined, reserved: readonly string[] = []): SuiteOptionTexts {
    const children = childrenOf(item).filter(
      ({ key }) => Object.hasOwn(this.known, key) && !reserved.includes(key),
    );
    return new Map(children.map(({ key, value }) => [key, this.value(key, writtenOf(value))]));
  }

  /**
   * Environment variables that a map of the suite file sets, by name; empty if the file has no such map.
   * @throws SuiteError if runs do not record a variable of this name, or its value may be a secret or has control characters
   */
  environment(item: YamlItem | undefined): Map<string, SuiteText> {
    const found = new Map<string, SuiteText>();
    for (const { key, keyAt, value } of childrenOf(item)) {
      if (!/^[A-Z][A-Z0-9_]*$/.test(key) || !recordedPrefixes.some((prefix) => key.startsWith(prefix))) {
        throw new SuiteError(keyAt, `${key}: no variable that a suite may set`, [
          `  allowed: ${recordedPrefixes.map((prefix) => `${prefix}*`).join(', ')}, which are recorded with every run`,
        ]);
      }
      const written = writtenOf(value);
      if (isSecret(key, written.text)) {
        throw new SuiteError(keyAt, `${key}: a secret, or the token of a run`, [
          '  such variables are never written down: set it outside of the suite',
        ]);
      }
      if (/\p{Cc}/u.test(written.text)) throw new SuiteError(value.at, `${key}: control characters`);
      found.set(key, written);
    }
    return found;
  }

  anchor(item: YamlItem | undefined): SuitePart['anchor'] {
    if (item === undefined) return null;
    const environment = this.environment(itemsOf(item.value).get('environment'));
    const options = this.options(item);
    if (options.size + environment.size > 0) return { at: item.keyAt, options, environment };
    throw new SuiteError(item.keyAt, 'anchor: empty', [
      '  allowed: settings of the reference build: nccl: /opt/nccl-2.28.9/lib',
    ]);
  }

  entry({ key, keyAt, value }: YamlItem): EntryOverride {
    if (!entryName.test(key)) {
      throw new SuiteError(keyAt, `'${key}': no name of an entry`, [
        '  allowed: letters, digits, dot, dash and underscore, at most 60',
      ]);
    }
    const items = itemsOf(value);
    const collective = items.get('collective');
    return {
      name: key,
      at: keyAt,
      collectives: collective === undefined ? null : listOf(collective),
      options: this.options({ key, keyAt, value }, entryKeys),
      environment: this.environment(items.get('environment')),
      isOptional: items.has('optional') ? textOf(items.get('optional'))?.text === 'true' : null,
      unless: items.has('unless') ? listOf(items.get('unless')) : null,
      matrix: this.matrix(items.get('matrix')),
      exclude: listItems(items.get('exclude')).map((tree) => ({
        at: tree.at,
        match: this.match(tree),
      })),
    };
  }

  private matrix(item: YamlItem | undefined): Map<string, SuiteText[]> {
    return new Map(
      childrenOf(item).map((axis) => [
        axis.key,
        listOf(axis).map((written) => this.value(axis.key, written)),
      ]),
    );
  }

  private match(tree: YamlTree): Map<string, SuiteText[]> {
    return this.matrix({ key: 'exclude', keyAt: tree.at, value: tree });
  }

  /**
   * Checks one option value with the parser of the option, and returns it unchanged. The value of an unknown name is not checked.
   * @throws SuiteError if the command line would reject the value
   */
  private value(name: string, written: SuiteText): SuiteText {
    const row = this.known[name];
    try {
      if (row !== undefined && isSwitch(row) && written.text === '')
        throw new ValueError('needs true or false');
      row?.coerce(written.text);
      return written;
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      const { message } = error;
      throw new SuiteError(written.at, `${name} ${written.text}: ${message}`, [`  allowed: ${row?.allowed}`]);
    }
  }
}

const listItems = (item: YamlItem | undefined): YamlTree[] =>
  item?.value.kind === 'list' ? item.value.items : [];

type ZodIssue = z.core.$ZodIssue;

/**
 * Makes an error message with its position from the first error that the schema check (zod) found. The messages of zod are not
 * shown, because they are written for programmers.
 * @param issue the first error; undefined = a general message about the whole suite
 * @param vocabulary collectives and options that suite files may contain, to name those that are allowed
 */
function shapeError(tree: YamlTree, issue: ZodIssue | undefined, vocabulary: SuiteSchema): SuiteError {
  const path = issue?.path ?? [];
  const name = path.length === 0 ? 'the suite' : path.map(String).join('.');
  if (issue?.code === 'unrecognized_keys') {
    const [word = ''] = issue.keys;
    const owner = path.length === 0 ? 'a suite' : name;
    const known = keysAt(path, vocabulary);
    return new SuiteError(positionOf(tree, [...path, word], true), `${word}: ${owner} has no such key`, [], {
      word,
      known,
    });
  }
  if (issue?.code === 'invalid_value') {
    const known = issue.values.map(String);
    const word = wordAt(tree, path);
    return new SuiteError(positionOf(tree, path), `${name}: ${word}: none of those known`, [], {
      word,
      known,
    });
  }
  if (issue?.code === 'invalid_union') {
    const inner = issue.errors.flat().sort((a, b) => weight(b) - weight(a))[0];
    const isTold = inner !== undefined && weight(inner) > 0;
    if (isTold) return shapeError(tree, { ...inner, path: [...path, ...inner.path] } as ZodIssue, vocabulary);
  }
  const at = positionOf(tree, path, true);
  if (issue?.code === 'too_small') return new SuiteError(at, `${name}: empty`);
  if (issue?.code === 'too_big') return new SuiteError(at, `${name}: more than ${String(issue.maximum)}`);
  if (wordAt(tree, path) === '') return new SuiteError(at, `${name} needs a value`);
  return new SuiteError(at, `${name}: not allowed here`, [`  allowed: ${shapeAt(path)}`]);
}

/**
 * Weight of an error by which one of several is chosen: if a value matches none of the forms that the schema allows, the error
 * with the highest weight is shown. The form whose error is nested deepest is most likely meant. At equal depth an error about an
 * unknown word has the higher weight.
 */
const weight = (issue: ZodIssue): number => 2 * issue.path.length + (issue.code === 'invalid_value' ? 1 : 0);

function wordAt(tree: YamlTree, path: readonly PropertyKey[]): string {
  const [step, ...rest] = path;
  if (step === undefined) return tree.kind === 'text' ? tree.text : 'this';
  if (tree.kind === 'text') return tree.text;
  const next =
    tree.kind === 'list' ? tree.items[Number(step)] : tree.items.find(({ key }) => key === step)?.value;
  return next === undefined ? 'this' : wordAt(next, rest);
}

function keysAt(path: readonly PropertyKey[], { options }: SuiteSchema): string[] {
  const names = Object.keys(options);
  const [first, , third] = path;
  if (first === undefined) return [...suiteKeys];
  if (first === 'options') return names;
  if (first === 'anchor') return [...names, 'environment'];
  return third === undefined ? [...entryKeys, ...names] : ['collective', ...names];
}

function shapeAt(path: readonly PropertyKey[]): string {
  const last = path.at(-1);
  const isEntry = (path[0] === 'entries' || path[0] === 'override') && path.length === 2;
  if (isEntry) return 'a map of options, with collective: allreduce';
  if (last === 'entries' || last === 'override') return 'a map from names to entries';
  if (['options', 'environment', 'anchor', 'matrix'].includes(String(last))) return 'a map';
  if (path.includes('matrix')) return 'a list of values, each an entry of its own';
  if (last === 'exclude') return 'a list of maps, as in: [{collective: barrier, ranks: 4}]';
  if (last === 'drop') return 'a list of names of entries';
  if (last === 'collective') return 'a collective, or a list of them';
  return 'a value, or a list of values';
}
