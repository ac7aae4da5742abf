import type { RunPlan } from '../../results/schema/index.ts';
import { joinWords, shortTransport } from '../wording.ts';
import { fit } from './columns.ts';

/** Maximum width of a series name in a column. */
export const widestName = 16;

/** Minimum width of a shortened transport name: the length of "socket" plus one. */
const shortestFront = 7;

export interface ColumnNames {
  /** Names in the order of the transports. */
  names: string[];
  /** Meaning of the parts of shortened names: "blocks, threads and packet of p2p@staged"; null if names are not shortened. */
  parts: string | null;
}

const wordsOf = (name: string): string[] => name.split(/[@/,-]/);

/**
 * Returns the names of transports for a column. Names that would be equal after cutting keep only the words in which they differ:
 * "p2p@staged/blocks-16,packet-64K" becomes "16 64K".
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

/** Cuts a name to the width of a column: first the transport's name, then the choice after it: "plugin:f…@direct". */
export function columnName(name: string): string {
  const at = name.lastIndexOf('@');
  if (name.length <= widestName || at < 0) return fit(name, widestName);
  const choice = name.slice(at);
  return fit(
    fit(name.slice(0, at), Math.max(shortestFront, widestName - choice.length)) + choice,
    widestName,
  );
}
