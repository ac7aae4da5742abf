import { type Regime, regimeText } from '../derive/cell-group.ts';

/** What a group's key says (derive/cell-group.ts), for people and for choosing. */
export interface GroupName {
  group: string;
  /** Key of the series. */
  series: string;
  regime: Regime;
  medium: 'hardware' | 'emulated';
  /** "allreduce float32 sum, cpu over socket, 2 ranks" */
  title: string;
}

export function nameOfGroup(group: string): GroupName {
  const cut = group.lastIndexOf('/');
  const [series, regime] = [group.slice(0, cut), group.slice(cut + 1) as Regime];
  const parts = series.split('/');
  const medium = parts.pop() as GroupName['medium'];
  const nodes = Number.parseInt(parts.pop() ?? '1', 10);
  // A transport may be a path, hence the rest belongs to it.
  const [collective = '', dtype = '', op = '-', place, root = 'r-', ranks = '', engine = '', ...rest] = parts;
  const what = [
    collective,
    dtype === 'unknown' ? '' : dtype,
    op === '-' ? '' : op,
    root === 'r-' ? '' : `root ${root.slice(1)}`,
    place === 'in' ? 'in place' : '',
  ];
  const title = [
    what.filter((word) => word !== '').join(' '),
    `${engine} over ${rest.join('/')}${medium === 'emulated' ? ' (emulated)' : ''}`,
    `${ranks} ${ranks === '1' ? 'rank' : 'ranks'}${nodes > 1 ? ` on ${nodes} nodes` : ''}`,
  ].join(', ');
  return { group, series, regime, medium, title };
}

/** Whether every word (blanks and / part them) is one of those between the / of the series' key. */
export function isMeant({ series }: GroupName, asked: string): boolean {
  const parts = `/${series}/`;
  return asked.split(/[\s/]+/).every((word) => word === '' || parts.includes(`/${word}/`));
}

export const regimeName = (regime: Regime): string => `${regime} messages, ${regimeText[regime]}`;
