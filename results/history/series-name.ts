import { rowOfKey } from '../axis-text.ts';
import { operationText, placeText } from '../compare/titles.ts';
import { type Regime, regimeText } from '../derive/cell-group.ts';
import { engineRow, partsOfKey } from '../schema/index.ts';

/** What a group's key says (derive/cell-group.ts), for people and for choosing. */
export interface GroupName {
  group: string;
  /** Key of the series. */
  series: string;
  regime: Regime;
  medium: string;
  /** "allreduce float32 sum, cpu over socket, 2 ranks" */
  title: string;
}

export function nameOfGroup(group: string): GroupName {
  const cut = group.lastIndexOf('/');
  const series = group.slice(0, cut);
  const { medium, title } = nameOfSeries(series);
  return { group, series, regime: group.slice(cut + 1) as Regime, medium, title };
}

/** @param series its key (schema/workloads/identity.ts) */
export function nameOfSeries(series: string): Pick<GroupName, 'medium' | 'title'> {
  const parts = partsOfKey(series);
  const part = (name: string): string => parts.get(name) ?? '';
  const group = parts.get('group');
  const place = placeText({
    engine: engineText(part('engine'), requestedIn(series)),
    transport: group === undefined ? part('transport') : `${part('transport')}/${group}`,
    medium: part('medium'),
    ranks: Number(part('ranks')),
    nodes: Number(part('nodes')),
  });
  return { medium: part('medium'), title: `${operationText(rowOfKey(series), parts)}, ${place}` };
}

/** "nccl", "nccl[cache=hot,graph=1]" */
const engineText = (engine: string, requested: readonly Requested[]): string =>
  requested.length === 0 ? engine : `${engine}[${requested.map(({ text }) => text).join(',')}]`;

interface Requested {
  name: string;
  /** "graph=1" */
  text: string;
}

const ofPlace = ['workload', 'ranks', 'nodes', 'engine', 'transport', 'medium', 'group'];

/** What was asked of the engine, but for what the transport says itself ("socket@ring/LL"). */
function requestedIn(series: string): Requested[] {
  const parts = partsOfKey(series);
  const axes = rowOfKey(series).axes.map(({ name }) => name);
  const said = (parts.get('transport') ?? '').split('@')[1]?.split('/') ?? [];
  return [...parts].flatMap(([name, value]) =>
    ofPlace.includes(name) || axes.includes(name) || said.includes(value)
      ? []
      : [{ name, text: `${name}=${value}` }],
  );
}

/** What lists of series are sorted by, most telling first: the operation, then where it ran. */
export function orderOf(series: string): string[] {
  const parts = partsOfKey(series);
  const names = rowOfKey(series).axes.map(({ name }) => name);
  return [...names, 'ranks', 'engine', 'transport', 'nodes', 'medium'].map((name) => parts.get(name) ?? '');
}

/**
 * All that a series is called by: "allreduce", "r3", "out", "2", "cpu", "graph=1", "socket", "1n", "hardware". The engine by
 * itself means series that are measured as usual.
 */
function wordsOf(series: string): Set<string> {
  const parts = partsOfKey(series);
  const ofAxes = rowOfKey(series).axes.map(
    ({ name, keyPrefix = '' }) => `${keyPrefix}${parts.get(name) ?? ''}`,
  );
  const others = ['workload', 'ranks', 'transport', 'medium', 'group'];
  const engine = parts.get('engine') ?? '';
  const requested = requestedIn(series);
  const { comparable } = engineRow({ engine });
  return new Set([
    ...ofAxes,
    ...others.flatMap((name) => parts.get(name)?.split('/') ?? []),
    `${parts.get('nodes')}n`,
    engineText(engine, requested),
    ...(requested.every(({ name }) => comparable.includes(name)) ? [engine] : []),
    ...requested.map(({ text }) => text),
  ]);
}

/** Whether every word (blanks and / part them) is one of those that the series is called by. */
export function isMeant({ series }: GroupName, asked: string): boolean {
  const words = wordsOf(series);
  return asked.split(/[\s/]+/).every((word) => word === '' || words.has(word));
}

export const regimeName = (regime: Regime): string =>
  regime === 'all' ? 'all points' : `${regime} messages, ${regimeText[regime]}`;
