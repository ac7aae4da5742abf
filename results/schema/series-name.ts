import { loadOf } from './loads.ts';
import { skewOf } from './skews.ts';

/** Choices that a run fixed for one series in addition to its transport, instead of leaving them to the measured library. */
export interface FixedChoice {
  /** Fixed algorithm, protocol and number of channels: ["ring", "LL"]; empty if the library was free to choose. */
  choice: readonly string[];
  /**
   * Settings of GPU kernels for which the run measures several values, with the value of this series: { blocks: "16", packet: "64K"
   * }; empty if there are none.
   */
  settings: Readonly<Record<string, string>>;
  /** Load, which is other work at the same time as the operation (`--beside`): "compute:2"; null if there is none. */
  load: string | null;
  /** Delay of ranks before each operation (`--skew`): "250us:2"; null if no rank is delayed. */
  skew: string | null;
}

/**
 * Name of a series in a plan. `TransportPlan.name` and `CellRecord.transport` store it as one text, for example
 * "socket@ring/LL+compute:2", "socket@250us" or "p2p@staged/blocks-16,packet-64K". Only this file writes and reads that text.
 */
export interface SeriesName extends FixedChoice {
  /** Name of the transport of the series: "socket", "plugin:/opt/lib/libnccl-net-x.so". */
  transport: string;
}

/** Names of settings of GPU kernels for which one run may measure several values; each value becomes a series. */
export const seriesSettings = ['blocks', 'threads', 'packet', 'signal'] as const;
export type SeriesSetting = (typeof seriesSettings)[number];

export const nothingFixed: FixedChoice = { choice: [], settings: {}, load: null, skew: null };

/**
 * Returns the choices that a run fixed for a series as one text without "@": "ring/LL+compute:2", "ring/LL+250us"; "" if it fixed
 * none. The order is algorithm, settings, delay, load.
 */
export function fixedText({ choice, settings, load, skew }: FixedChoice): string {
  const swept = Object.entries(settings).map(([name, value]) => `${name}-${value}`);
  const words = [...choice, ...(swept.length === 0 ? [] : [swept.join(',')])].join('/');
  return [words, skew ?? '', load ?? ''].filter((text) => text !== '').join('+');
}

/**
 * Returns the name of a series as one text, the transport followed by the fixed choices: "socket@ring/LL+compute:2". Without
 * fixed choices it is the transport alone.
 */
export function seriesNameText(name: SeriesName): string {
  const fixed = fixedText(name);
  return fixed === '' ? name.transport : `${name.transport}@${fixed}`;
}

/** Results of parseSeriesName() by text. The function is called for every cell, although a run has few different names. */
const namesByText = new Map<string, SeriesName>();

/**
 * Parses the name of a series, "socket@ring/LL+compute:2", into transport, algorithm, settings, delay of ranks and other work. A
 * name without "@" has no fixed choices. An "@" with a dot behind it belongs to the path of a plugin. No text is refused: unknown
 * words are in `choice`.
 */
export function parseSeriesName(text: string): Readonly<SeriesName> {
  const known = namesByText.get(text) ?? parse(text);
  namesByText.set(text, known);
  return known;
}

function parse(text: string): SeriesName {
  const at = text.lastIndexOf('@');
  // A plugin's path may contain an @, but its file name has a dot, and nothing that a run fixes has one.
  if (at < 1 || text.includes('.', at)) return { transport: text, ...nothingFixed };
  const parts = text.slice(at + 1).split('+');
  const takeLast = (isIt: (part: string) => boolean) => (isIt(parts.at(-1) ?? '') ? parts.pop() : null);
  const load = takeLast((part) => loadOf(part) !== null) ?? null;
  const skew = takeLast((part) => skewOf(part) !== null) ?? null;
  const words = parts.length === 0 ? [] : parts.join('+').split('/');
  const settings = settingsIn(words.at(-1) ?? '');
  return {
    transport: text.slice(0, at),
    choice: settings === null ? words : words.slice(0, -1),
    settings: settings ?? {},
    load,
    skew,
  };
}

/**
 * Parses settings of GPU kernels, "blocks-16,packet-64K", into values by name; null if the text has another form, is empty, or
 * names another setting.
 */
function settingsIn(text: string): Record<string, string> | null {
  const entries = text.split(',').map((part) => part.split('-') as [string, string]);
  const isSetting = ([name, value]: [string, string?]) =>
    value !== undefined && seriesSettings.some((one) => one === name);
  return entries.every(isSetting) ? Object.fromEntries(entries) : null;
}
