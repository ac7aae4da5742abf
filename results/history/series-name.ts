import { rowOfKey } from '../axis-text.ts';
import { operationText, placeText } from '../compare/titles.ts';
import { type Regime, regimeText } from '../derive/cell-group.ts';
import { engineRow, partsOfKey } from '../schema/index.ts';

/** The parts of a group's key (derive/cell-group.ts), for display and for searching. */
export interface GroupName {
  group: string;
  /** Key of the series. */
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

/** Medium, title and transport of a series. @param series its key (schema/workloads/identity.ts) */
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
  // Transports "socket@ring/LL" and "p2p@ring/blocks-16" already contain the requests to the engine.
  const said = part('transport').split('@')[1]?.split(/[/,]/) ?? [];
  const requested = [...parts].filter(
    ([name, value]) =>
      !known.includes(name) && !said.some((word) => word === value || word.startsWith(`${name}-`)),
  );
  const asked = requested.map((one) => one.join('='));
  /** Engine with its requests: "nccl", "nccl[cache=hot,graph=1]". */
  const engine = asked.length === 0 ? part('engine') : `${part('engine')}[${asked.join(',')}]`;
  return { row, parts, part, requested, asked, engine };
}

/** Sort key of a series in lists, most important first: the operation, then ranks, engine and transport. */
export function orderOf(series: string): string[] {
  const { row, part } = readSeries(series);
  const names = row.axes.map(({ name }) => name);
  return [...names, 'ranks', 'engine', 'transport', 'nodes', 'medium'].map(part);
}

/**
 * All search words of a series: "allreduce", "r3", "out", "2", "cpu", "graph=1", "socket", "1n", "hardware". The engine's
 * name alone is a word only of series with comparable settings.
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

/** Words that find this series, without absent or default values: "allreduce float32 sum 2 socket hardware 1n cpu". */
export function searchWords(series: string): string {
  const untold = ['', '-', 'r-', 'out', partsOfKey(series).get('workload')];
  return [...wordsOf(series)].filter((word) => !untold.includes(word)).join(' ');
}

/** True if every word of the query, separated by blanks and /, is a search word of the series. */
export function matchesSeries({ series }: GroupName, asked: string): boolean {
  const words = wordsOf(series);
  return asked.split(/[\s/]+/).every((word) => word === '' || words.has(word));
}

export const regimeName = (regime: Regime): string =>
  regime === 'all' ? 'all points' : `${regime} messages, ${regimeText[regime]}`;
