import { parseSeriesName, type RunPlan, seriesNameText } from '../../results/schema/index.ts';
import { joinWords, shortTransport } from '../wording.ts';
import { fit } from './columns.ts';

/** Maximum width of a transport's name in a column, in characters. */
export const widestName = 16;

/** Minimum width in characters to which the transport is cut in a name with algorithm or settings: one more than "socket". */
const shortestFront = 7;

export interface ColumnNames {
  /** Names for the columns, in the order of the plan's transports. */
  names: string[];
  /**
   * Explanation of shortened names, which have only the values of settings: "blocks, threads and packet of p2p@staged". Null if
   * names are not shortened.
   */
  parts: string | null;
}

/**
 * Returns the names of a plan's transports for table columns, not yet cut to the columns' width. If cut names would be equal and
 * transports differ only in settings, each name is shortened to the values that differ: "p2p@staged/blocks-16,packet-64K" becomes
 * "16 64K". If one of these is still too wide (`widestName`), no name is shortened.
 */
export function columnNames({ transports }: RunPlan): ColumnNames {
  const names = transports.map((t) => shortTransport(t.name));
  const unchanged = { names, parts: null };
  if (new Set(names.map(columnName)).size === new Set(names).size) return unchanged;
  const parsed = names.map(parseSeriesName);
  const settings = Object.keys(parsed[0]?.settings ?? {});
  const [of, ...others] = new Set(parsed.map((name) => seriesNameText({ ...name, settings: {} })));
  const isAlike = parsed.every((name) => Object.keys(name.settings).join() === settings.join());
  if (others.length > 0 || !isAlike) return unchanged;
  const differ = settings.filter((one) => new Set(parsed.map((name) => name.settings[one])).size > 1);
  const short = parsed.map((name) => differ.map((one) => name.settings[one]).join(' '));
  if (short.some((name) => name.length > widestName)) return unchanged;
  return { names: short, parts: `${joinWords(differ)} of ${of}` };
}

/**
 * Cuts a name to the maximum width of a column. The transport's name is cut before the algorithm or settings after the "@":
 * "plugin:f…@direct".
 */
export function columnName(name: string): string {
  const parts = parseSeriesName(name);
  const rest = name.length - parts.transport.length;
  if (name.length <= widestName || rest === 0) return fit(name, widestName);
  const transport = fit(parts.transport, Math.max(shortestFront, widestName - rest));
  return fit(seriesNameText({ ...parts, transport }), widestName);
}
