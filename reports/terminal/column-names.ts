import type { RunPlan } from '../../results/schema/index.ts';
import { joinWords, shortTransport } from '../wording.ts';
import { fit } from './columns.ts';

/** Maximum width of a transport's name in a column, in characters. */
export const widestName = 16;

/** Minimum width of a transport name that is cut, in characters: the length of "socket" plus one. */
const shortestFront = 7;

export interface ColumnNames {
  /** Names for the columns, in the order of the plan's transports. */
  names: string[];
  /**
   * Explanation of shortened names, which list setting values: "blocks, threads and packet of p2p@staged". Null if names are
   * not shortened.
   */
  parts: string | null;
}

const wordsOf = (name: string): string[] => name.split(/[@/,-]/);

/**
 * Returns the names of a plan's transports for table columns. If cut names would be equal, each keeps only the words in which
 * it differs: "p2p@staged/blocks-16,packet-64K" becomes "16 64K".
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
  // In a name each value follows the name of its setting.
  const settings = joinWords(differ.flatMap((i) => first[i - 1] ?? []));
  const [of = ''] = names.map((name) => name.split('/')[0]);
  const isShared = names.every((name) => name.startsWith(`${of}/`));
  return { names: short, parts: isShared ? `${settings} of ${of}` : settings };
}

/**
 * Cuts a name to the width of a column. The transport's name is cut before the algorithm or settings after the "@":
 * "plugin:f…@direct".
 */
export function columnName(name: string): string {
  const at = name.lastIndexOf('@');
  if (name.length <= widestName || at < 0) return fit(name, widestName);
  const choice = name.slice(at);
  return fit(
    fit(name.slice(0, at), Math.max(shortestFront, widestName - choice.length)) + choice,
    widestName,
  );
}
