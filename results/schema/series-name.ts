import { loadOf } from './loads.ts';

/** The algorithm, protocol, settings and load that the run fixed for a series, in addition to its transport. */
export interface FixedChoice {
  /** Fixed algorithm, protocol and number of channels: ["ring", "LL"]; empty if the library or engine chose. */
  choice: readonly string[];
  /** GPU kernel settings that have several values in the run, by name: { blocks: "16", packet: "64K" }. */
  settings: Readonly<Record<string, string>>;
  /** The load that runs concurrently with the operations: "compute:2"; null if there is none. */
  load: string | null;
}

/**
 * Name of a series in a plan. `TransportPlan.name` and `CellRecord.transport` store it as one text, for example
 * "socket@ring/LL+compute:2" or "p2p@staged/blocks-16,packet-64K". Only this file writes and reads that text.
 */
export interface SeriesName extends FixedChoice {
  /** The transport: "socket", "plugin:/opt/lib/libnccl-net-x.so". */
  transport: string;
}

/** Names of the GPU kernel settings that a series name may contain. */
export const seriesSettings = ['blocks', 'threads', 'packet', 'signal'] as const;
export type SeriesSetting = (typeof seriesSettings)[number];

export const nothingFixed: FixedChoice = { choice: [], settings: {}, load: null };

/** Returns what a run fixed as text: "ring/LL+compute:2", "compute:2"; '' if it fixed nothing. */
export function fixedText({ choice, settings, load }: FixedChoice): string {
  const swept = Object.entries(settings).map(([name, value]) => `${name}-${value}`);
  const words = [...choice, ...(swept.length === 0 ? [] : [swept.join(',')])].join('/');
  return [words, load ?? ''].filter((text) => text !== '').join('+');
}

/** Returns the text of a series name as plans and cells store it. */
export function seriesNameText(name: SeriesName): string {
  const fixed = fixedText(name);
  return fixed === '' ? name.transport : `${name.transport}@${fixed}`;
}

/** Cache of parseSeriesName(), which is called for every configuration although a run has few different names. */
const namesByText = new Map<string, SeriesName>();

/** Parses the text of a series name as plans and cells store it. */
export function parseSeriesName(text: string): Readonly<SeriesName> {
  const known = namesByText.get(text) ?? parse(text);
  namesByText.set(text, known);
  return known;
}

function parse(text: string): SeriesName {
  const at = text.lastIndexOf('@');
  // A plugin's path may contain an @, but its file name has a dot, and nothing that a run fixes has one.
  if (at < 1 || text.includes('.', at)) return { transport: text, ...nothingFixed };
  const [first = '', ...others] = text.slice(at + 1).split('+');
  const hasLoad = loadOf(others.at(-1) ?? first) !== null;
  const load = hasLoad ? (others.pop() ?? first) : null;
  const words = load === first ? [] : [first, ...others].join('+').split('/');
  const settings = settingsIn(words.at(-1) ?? '');
  return {
    transport: text.slice(0, at),
    choice: settings === null ? words : words.slice(0, -1),
    settings: settings ?? {},
    load,
  };
}

/** Returns the settings in "blocks-16,packet-64K"; null if the text is no list of settings. */
function settingsIn(text: string): Record<string, string> | null {
  const entries = text.split(',').map((part) => part.split('-') as [string, string]);
  const isSetting = ([name, value]: [string, string?]) =>
    value !== undefined && seriesSettings.some((one) => one === name);
  return entries.every(isSetting) ? Object.fromEntries(entries) : null;
}
