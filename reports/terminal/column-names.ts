import type { RunPlan } from '../../results/schema/index.ts';
import { joinWords, shortTransport } from '../wording.ts';
import { fit } from './columns.ts';

/** Names of series are no wider than this in a column of their own. */
export const widestName = 16;

/** "socket" and one more: a shorter name of a transport says little. */
const shortestFront = 7;

export interface ColumnNames {
  /** In the order of the transports. */
  names: string[];
  /** What the parts of shortened names are: "blocks, threads and packet of p2p@staged"; null where names stand as they are. */
  parts: string | null;
}

const wordsOf = (name: string): string[] => name.split(/[@/,-]/);

/**
 * Names of transports for a column. Those that would look alike when cut keep only the words in which they differ: of
 * "p2p@staged/blocks-16,packet-64K" and its like "16 64K".
 */
export function columnNames({ transports }: RunPlan): ColumnNames {
  const names = transports.map((t) => shortTransport(t.name));
  const cut = new Set(names.map(columnName));
  if (cut.size === new Set(names).size) return { names, parts: null };
  const words = names.map(wordsOf);
  const [first = []] = words;
  if (words.some(({ length }) => length !== first.length)) return { names, parts: null };
  const differ = first.flatMap((word, i) => (words.every((others) => others[i] === word) ? [] : [i]));
  const short = words.map((each) => differ.map((i) => each[i]).join(' '));
  if (short.some((name) => name.length > widestName)) return { names, parts: null };
  // A value stands behind the name of its setting.
  const settings = joinWords(differ.flatMap((i) => first[i - 1] ?? []));
  const [of = ''] = names.map((name) => name.split('/')[0]);
  const isShared = names.every((name) => name.startsWith(`${of}/`));
  return { names: short, parts: isShared ? `${settings} of ${of}` : settings };
}

/** Cut to the width of a column, the transport's name before the choice behind it: "plugin:f…@direct". */
export function columnName(name: string): string {
  const at = name.lastIndexOf('@');
  if (name.length <= widestName || at < 0) return fit(name, widestName);
  const choice = name.slice(at);
  return fit(
    fit(name.slice(0, at), Math.max(shortestFront, widestName - choice.length)) + choice,
    widestName,
  );
}
