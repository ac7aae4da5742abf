import { rowOfKey } from '../axis-text.ts';
import { operationText, placeText } from '../compare/titles.ts';
import { type Regime, regimeText } from '../derive/cells/cell-group.ts';
import { engineRow, parseSeriesName, partsOfKey } from '../schema/index.ts';

/**
 * One series within one range of message sizes (small, mid, large; derive/cells/cell-group.ts): its key, "SERIES/large", and the
 * parts of the key for titles and searches.
 */
export interface GroupName {
  group: string;
  /** Key of the series, without the size range. */
  series: string;
  regime: Regime;
  medium: string;
  /** Title: "allreduce float32 sum, cpu over socket, 2 ranks". */
  title: string;
}

export function nameOfGroup(group: string): GroupName {
  const cut = group.lastIndexOf('/');
  const series = group.slice(0, cut);
  const { medium, title } = nameOfSeries(series);
  return { group, series, regime: group.slice(cut + 1) as Regime, medium, title };
}

/**
 * Returns transport, medium (hardware, emulated or unknown) and title of a series.
 * @param series key of the series: a cell id without message size
 */
export function nameOfSeries(series: string): Pick<GroupName, 'medium' | 'title'> & { transport: string } {
  const { row, parts, part, engine } = readSeries(series);
  const place = placeText({
    engine,
    transport: [part('transport'), part('group')].filter((text) => text !== '').join('/'),
    medium: part('medium'),
    ranks: Number(part('ranks')),
    nodes: Number(part('nodes')),
  });
  return {
    transport: part('transport'),
    medium: part('medium'),
    title: `${operationText(row, parts)}, ${place}`,
  };
}

const ofPlace = ['workload', 'ranks', 'nodes', 'engine', 'transport', 'medium', 'group'];

function readSeries(series: string) {
  const row = rowOfKey(series);
  const parts = partsOfKey(series);
  const part = (name: string): string => parts.get(name) ?? '';
  const known = [...ofPlace, ...row.axes.map(({ name }) => name)];
  // Transports such as "socket@ring/LL" and "p2p@ring/blocks-16" already contain the settings requested from the engine.
  const { choice, settings, load, skew } = parseSeriesName(part('transport'));
  const requested = [...parts].filter(
    ([name, value]) =>
      !known.includes(name) &&
      !choice.includes(value) &&
      !(name in settings) &&
      ![load, skew].includes(value),
  );
  const asked = requested.map((one) => one.join('='));
  /** Name of the engine with those of its settings that change what is measured: "nccl", "nccl[cache=hot,graph=1]". */
  const engine = asked.length === 0 ? part('engine') : `${part('engine')}[${asked.join(',')}]`;
  return { row, parts, part, requested, asked, engine };
}

/**
 * Returns the texts by which a list of series is sorted, most important first: the operation, then ranks, engine, transport, nodes
 * and medium.
 */
export function orderOf(series: string): string[] {
  const { row, part } = readSeries(series);
  const names = row.axes.map(({ name }) => name);
  return [...names, 'ranks', 'engine', 'transport', 'nodes', 'medium'].map(part);
}

/**
 * Returns all words by which a search finds the series: "allreduce", "r3", "out", "2", "cpu", "graph=1", "socket", "1n",
 * "hardware". The engine's name alone is such a word only if every setting of the series may differ between cells that are
 * compared.
 */
function wordsOf(series: string): Set<string> {
  const { row, part, requested, asked, engine } = readSeries(series);
  const { comparable } = engineRow({ engine: part('engine') });
  const isUsual = requested.every(([name]) => comparable.includes(name));
  return new Set([
    ...row.axes.map(({ name, keyPrefix = '' }) => `${keyPrefix}${part(name)}`),
    ...['workload', 'ranks', 'transport', 'medium', 'group'].flatMap((name) => part(name).split(/[\s/]+/)),
    `${part('nodes')}n`,
    ...(isUsual ? [part('engine')] : []),
    engine,
    ...asked,
  ]);
}

/**
 * Returns words that find this series, joined by blanks, without the name of the workload and words for absent and default values:
 * "allreduce float32 sum 2 socket hardware 1n cpu".
 */
export function searchWords(series: string): string {
  const ignored = ['', '-', 'r-', 'out', partsOfKey(series).get('workload')];
  return [...wordsOf(series)].filter((word) => !ignored.includes(word)).join(' ');
}

/**
 * True if each word of `requested` (separated by blanks or /) equals one of the words by which the series is found, case included;
 * also true if `requested` is empty.
 */
export function matchesSeries({ series }: GroupName, requested: string): boolean {
  const words = wordsOf(series);
  return requested.split(/[\s/]+/).every((word) => word === '' || words.has(word));
}

export const regimeName = (regime: Regime): string =>
  regime === 'all' ? 'all points' : `${regime} messages, ${regimeText[regime]}`;
