import { collective, imported } from '../../schema/workloads/index.ts';

/**
 * The key of a series of version 1, "allreduce/float32/sum/out/r-/2/cpu/socket/1n/hardware", with or without bytes behind
 * the root, as the present version writes it. @param tail what follows the series: "/small"
 */
export function upgradeKey(key: string, hasBytes: boolean, tail = ''): string {
  const parts = key.split('/');
  const medium = hasBytes ? null : (parts.pop() ?? 'hardware');
  const nodes = hasBytes ? null : Number.parseInt(parts.pop() ?? '1', 10);
  const [what = '', dtype = '', op = '-', place = 'out', root = 'r-', ...rest] = parts;
  const bytes = hasBytes ? rest.shift() : undefined;
  const [ranks = '', engineText = '', ...over] = rest;
  const [engine = '', told = ''] = engineText.replace(']', '').split('[');
  const row = dtype === 'unknown' ? imported : collective;
  const first = row.axes[0]?.name ?? 'collective';
  const requested = told === '' ? [] : told.split(',').sort();
  const transport = over.join('/');
  return `${[
    row.name,
    `${first}=${what}`,
    `dtype=${dtype}`,
    `op=${op}`,
    `root=${root.slice(1)}`,
    `inPlace=${place}`,
    ...(bytes === undefined ? [] : [`bytes=${bytes}`]),
    ...requested,
    `ranks=${ranks}`,
    ...(nodes === null ? [] : [`nodes=${nodes}`]),
    `engine=${engine}`,
    `transport=${transport}`,
    ...(medium === null ? [] : [`medium=${medium}`]),
  ].join(';')}${tail}`;
}

/** Series and regime. */
export function upgradeGroupKey(key: string): string {
  const cut = key.lastIndexOf('/');
  return upgradeKey(key.slice(0, cut), false, key.slice(cut));
}
