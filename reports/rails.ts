// How a host's bytes were shared by its rails: network interfaces or adapters that connect the same hosts.
import { sum } from 'simple-statistics';
import { areUneven, railsText } from '../results/derive/index.ts';
import type { HostRails, OkCell } from '../results/schema/index.ts';
import { percentText, plural } from './wording.ts';

const bytesOf = ({ rails }: HostRails): number => sum(rails.map(({ bytes }) => bytes));

/**
 * Returns how the bytes were shared by the rails of one host, in the configuration that moved most: "2 rails: eth0 100 %, eth1 0 %
 * on gpu01 and 3 more hosts: uneven, even are 50 % each". If some configurations used rails unevenly, the sentence is about that
 * one of them which moved most, and counts only hosts with uneven rails. '' if no host has several rails.
 */
export function railsSentence(cells: readonly OkCell[]): string {
  const all = cells
    .map(({ rails = [] }) => rails)
    .toSorted((a, b) => sum(b.map(bytesOf)) - sum(a.map(bytesOf)));
  const uneven = all.map((rails) => rails.filter(areUneven)).find(({ length }) => length > 0);
  const [first, ...more] = uneven ?? all[0] ?? [];
  if (first === undefined) return '';
  const others = more.length === 0 ? '' : ` and ${plural(more.length, 'more host')}`;
  const verdict =
    uneven === undefined ? 'even' : `uneven, even are ${percentText(1 / first.rails.length)} each`;
  return `${railsText(first)} on ${first.host}${others}: ${verdict}`;
}
