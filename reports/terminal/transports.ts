// List of the transports that can run on this machine, with the reasons why others cannot.
import { detailText, type TransportDetail } from '../../results/schema/index.ts';
import { commonSentences, wrap, wrapBeside } from '../../results/text.ts';

interface TransportListing {
  name: string;
  available: boolean;
  medium: string;
  detail: TransportDetail;
  reason: string;
  remedy: string;
  summary: string;
}

type EnvironmentVariables = readonly (readonly [name: string, value: string])[];

export interface TransportSection {
  engine: string;
  /** The engine's transports; null if this build does not contain the engine. */
  listing: {
    /** Text that is printed after "engine NAME: ", such as "host memory", or the version of the library and the GPUs. */
    headline: string;
    transports: readonly TransportListing[];
    /** True if one reason can make all transports unavailable; such a reason is then printed only once. */
    sharesReasons: boolean;
  } | null;
  /** Environment variables that a transport sets for the ranks; the key is the transport's name. */
  variables: ReadonlyMap<string, EnvironmentVariables>;
}

/** Minimum (`narrowest`) and maximum (`widest`) number of characters per line, whatever the terminal's width. */
const narrowest = 40;
const widest = 120;

/** Reason of a transport that is unavailable only because its whole engine is. */
const sharedCause = 'same cause as above';

/**
 * Returns the transports with shortened reasons: if a transport is unavailable for the same reason as an earlier one, its reason
 * becomes "same cause as" and the earlier one's name.
 */
function withoutRepeats(transports: readonly TransportListing[]): TransportListing[] {
  const first = new Map<string, string>();
  return transports.map((one) => {
    const { name, reason, remedy, available } = one;
    const earlier = first.get(reason + remedy);
    if (available || reason === sharedCause) return one;
    if (earlier !== undefined) return { ...one, reason: `same cause as ${earlier}`, remedy: '' };
    first.set(reason + remedy, name);
    return one;
  });
}

/**
 * Separates those first sentences (reason, remedy) of unavailable transports that all of them share. Returns these sentences as
 * `shared`, and the transports without them. Nothing is separated if any transport is available, or if the reasons share no
 * sentence.
 */
function withoutShared(transports: readonly TransportListing[]): {
  shared: string[];
  transports: TransportListing[];
} {
  if (transports.some(({ available }) => available)) return { shared: [], transports: [...transports] };
  const reason = commonSentences(transports.map((one) => one.reason));
  const remedy = commonSentences(transports.map((one) => one.remedy));
  if (reason === '') return { shared: [], transports: [...transports] };
  const rest = transports.map((one) => {
    const own = one.reason.slice(reason.length).trim();
    const help = one.remedy.slice(remedy.length).trim();
    return { ...one, reason: own === '' ? sharedCause : own, remedy: own === '' ? '' : help };
  });
  return { shared: [reason, remedy].filter((text) => text !== ''), transports: rest };
}

function linesFor(
  transport: TransportListing,
  width: number,
  columns: number,
  explain: boolean,
  variables: EnvironmentVariables,
): string[] {
  const { name, available, medium, detail, reason, remedy, summary } = transport;
  const state = !available ? 'not here' : medium === 'emulated' ? 'EMULATED' : 'hardware';
  const indent = ' '.repeat(width + 14);
  const lead = `  ${name.padEnd(width)}  ${state.padEnd(8)}  `;
  const lines = wrapBeside(lead, available ? detailText(detail) : reason, columns);
  if (explain && summary !== '') lines.push(...wrapBeside(indent, summary, columns));
  if (remedy !== '' && (explain || !available)) lines.push(...wrapBeside(indent, remedy, columns));
  if (explain) lines.push(...variables.map(([key, value]) => `${indent}${key}=${value}`));
  return lines;
}

function sectionLines(
  { engine, listing, variables }: TransportSection,
  width: number,
  columns: number,
  explain: boolean,
): string[] {
  if (listing === null) return [`engine ${engine}: not part of this build`];
  const { headline, transports: found, sharesReasons } = listing;
  const { shared, transports } = sharesReasons ? withoutShared(found) : { shared: [], transports: found };
  return [
    `engine ${engine}: ${headline}`,
    ...shared.flatMap((text) => wrap(`  ${text}`, columns)),
    ...withoutRepeats(transports).flatMap((one) =>
      linesFor(one, width, columns, explain, variables.get(one.name) ?? []),
    ),
  ];
}

/**
 * Returns the list of transports for each engine as text, as `collbench transports` prints it.
 * @param explain true = adds a description of each transport and the variables that it sets
 * @param room width of the terminal in characters; the text has 40 to 120 columns
 */
export function transportsText(
  hostname: string,
  sections: readonly TransportSection[],
  explain: boolean,
  room: number,
): string {
  const columns = Math.max(narrowest, Math.min(room, widest));
  const names = sections.flatMap(({ listing }) => listing?.transports.map(({ name }) => name.length) ?? []);
  const lines = [
    `transports on ${hostname}`,
    ...sections.flatMap((section) => sectionLines(section, Math.max(0, ...names), columns, explain)),
    ...(explain ? [] : ['More: collbench transports --explain']),
  ];
  return `${lines.join('\n')}\n`;
}
