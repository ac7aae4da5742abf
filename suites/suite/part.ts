// One file of a suite: its shape by the schema, its values by the option table, each with its place.
import { isSecret, recordedPrefixes } from '../../results/store/environment.ts';
import { type Place, SuiteError } from './error.ts';
import { entryName, type KnownOption, suiteSchema, type Vocabulary } from './schema.ts';
import { shapeError } from './shape-error.ts';
import type { EntryRule, Written, WrittenOptions } from './types.ts';
import { plainOf, type Tree, type TreeItem } from './yaml.ts';

type Override = Omit<EntryRule, 'collectives' | 'isOptional' | 'unless'> & {
  collectives: Written[] | null;
  isOptional: boolean | null;
  unless: Written[] | null;
};

/** What one file says; what it includes is not in it. */
export interface SuitePart {
  file: string;
  title: Written | null;
  include: Written[];
  options: WrittenOptions;
  environment: Map<string, Written>;
  anchor: { at: Place; options: WrittenOptions; environment: Map<string, Written> } | null;
  detect: Written | null;
  entries: EntryRule[];
  override: Override[];
  drop: Written[];
}

/** A file behind the files it includes. */
export interface PartTree {
  included: PartTree[];
  part: SuitePart;
}

/** @throws SuiteError */
export function partOf(file: string, tree: Tree | null, vocabulary: Vocabulary): SuitePart {
  if (tree === null || tree.kind !== 'map') {
    throw new SuiteError(tree?.at ?? file, 'not a suite', [
      '  allowed: a map with entries, as in: entries: {first: {collective: allreduce}}',
    ]);
  }
  const checked = suiteSchema(vocabulary).safeParse(plainOf(tree));
  if (!checked.success) throw shapeError(tree, checked.error.issues[0], vocabulary);
  const known = new Map(vocabulary.options.map((option) => [option.name, option] as const));
  const root = new Map(tree.items.map((item) => [item.key, item]));
  const read = new PartReader(known);
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

const itemsOf = (tree: Tree | undefined): Map<string, TreeItem> =>
  new Map(tree?.kind === 'map' ? tree.items.map((item) => [item.key, item]) : []);
const childrenOf = (item: TreeItem | undefined): TreeItem[] =>
  item?.value.kind === 'map' ? item.value.items : [];

/** A value as it would be typed: lists joined by commas. */
function writtenOf(tree: Tree): Written {
  const text = tree.kind === 'list' ? tree.items.map((item) => writtenOf(item).text).join(',') : '';
  return { text: tree.kind === 'text' ? tree.text : text, at: tree.at };
}
const textOf = (item: TreeItem | undefined): Written | null =>
  item === undefined ? null : writtenOf(item.value);
const listOf = (item: TreeItem | undefined): Written[] => {
  if (item === undefined) return [];
  return item.value.kind === 'list' ? item.value.items.map(writtenOf) : [writtenOf(item.value)];
};

/** Values by the option table. */
class PartReader {
  private readonly known: ReadonlyMap<string, KnownOption>;

  constructor(known: ReadonlyMap<string, KnownOption>) {
    this.known = known;
  }

  options(item: TreeItem | undefined): WrittenOptions {
    const children = childrenOf(item).filter(({ key }) => this.known.has(key));
    return new Map(children.map(({ key, value }) => [key, this.value(key, writtenOf(value))]));
  }

  /** @throws SuiteError a variable that is not recorded with runs, or may be a secret */
  environment(item: TreeItem | undefined): Map<string, Written> {
    const found = new Map<string, Written>();
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

  anchor(item: TreeItem | undefined): SuitePart['anchor'] {
    if (item === undefined) return null;
    const environment = this.environment(itemsOf(item.value).get('environment'));
    const options = this.options(item);
    if (options.size + environment.size > 0) return { at: item.keyAt, options, environment };
    throw new SuiteError(item.keyAt, 'anchor: empty', [
      '  allowed: settings of the reference build: nccl: /opt/nccl-2.28.9/lib',
    ]);
  }

  entry({ key, keyAt, value }: TreeItem): Override {
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
      options: this.options({ key, keyAt, value }),
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

  private matrix(item: TreeItem | undefined): Map<string, Written[]> {
    return new Map(
      childrenOf(item).map((axis) => [
        axis.key,
        listOf(axis).map((written) => this.value(axis.key, written)),
      ]),
    );
  }

  private match(tree: Tree): Map<string, Written[]> {
    return this.matrix({ key: 'exclude', keyAt: tree.at, value: tree });
  }

  /** @throws SuiteError as the command line would refuse it */
  private value(name: string, written: Written): Written {
    const option = this.known.get(name);
    const wrong = option?.check(written.text) ?? null;
    if (option === undefined || wrong === null) return written;
    throw new SuiteError(written.at, `${name} ${written.text}: ${wrong}`, [`  allowed: ${option.allowed}`]);
  }
}

const listItems = (item: TreeItem | undefined): Tree[] =>
  item?.value.kind === 'list' ? item.value.items : [];
