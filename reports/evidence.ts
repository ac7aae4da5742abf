// Evidence: whether byte counters show that the requested transports carried the data. Verdicts and sentences for every output.
import { addTo } from '../results/collections.ts';
import {
  type CellRecord,
  type Evidence,
  type OkCell,
  parseSeriesName,
  type RunPlan,
} from '../results/schema/index.ts';
import { isOk, namedXOfPoint, xOfPoint } from './series.ts';
import { joinWords, plural, shortTransport } from './wording.ts';

type EvidenceVerdict = Evidence['verdict'];

/** The verdicts of the evidence on a transport, the worst first. */
const verdicts: readonly EvidenceVerdict[] = ['contradicted', 'unproven', 'confirmed'];

const nameOfTransport = (series: string): string => parseSeriesName(series).transport;

/** Returns the worst verdict of the configurations; null without configurations. */
export const worstVerdict = (cells: readonly OkCell[]): EvidenceVerdict | null =>
  verdicts.find((verdict) => cells.some(({ evidence }) => evidence.verdict === verdict)) ?? null;

/** The worst verdict on a transport (`name`), over all of its configurations that have a result (`cells`). */
export interface TransportEvidence {
  name: string;
  verdict: EvidenceVerdict;
  cells: OkCell[];
  /** The transport's configurations that have its worst verdict. */
  such: OkCell[];
  /** The configuration with the worst verdict that has the largest x, so that most bytes were moved. */
  largest: OkCell;
}

/**
 * Returns the worst verdict on each transport of a run, in the order of the plan; transports without results are left out.
 * @param nameOf returns the name under which series are merged; default: the transport's name, without algorithm, protocol and
 * settings
 */
export function transportEvidence(
  cells: readonly CellRecord[],
  plan: RunPlan,
  nameOf: (series: string) => string = nameOfTransport,
): TransportEvidence[] {
  const byName = new Map<string, OkCell[]>(plan.transports.map(({ name }) => [nameOf(name), []]));
  for (const cell of cells.filter(isOk)) byName.get(nameOf(cell.transport))?.push(cell);
  return [...byName].flatMap(([name, own]) => {
    const verdict = worstVerdict(own);
    if (verdict === null) return [];
    const such = own.filter(({ evidence }) => evidence.verdict === verdict);
    const largest = such.reduce((a, b) => (xOfPoint(plan, b) > xOfPoint(plan, a) ? b : a));
    return [{ name, verdict, cells: own, such, largest }];
  });
}

/**
 * Returns the short names of the transports by their worst verdict, worst verdicts first. Verdicts that no transport has are left
 * out.
 */
export function transportsByVerdict(
  cells: readonly OkCell[],
): { verdict: EvidenceVerdict; names: string[] }[] {
  const byName = new Map<string, OkCell[]>();
  for (const cell of cells) addTo(byName, shortTransport(nameOfTransport(cell.transport)), cell);
  return verdicts
    .map((verdict) => ({
      verdict,
      names: [...byName].flatMap(([name, own]) => (worstVerdict(own) === verdict ? [name] : [])),
    }))
    .filter(({ names }) => names.length > 0);
}

/**
 * Returns whether byte counters show that each transport carried the data: "evidence: socket confirmed (lo carried ...) · sisci
 * contradicted at 2 of 28 configurations (...)". Each transport has its worst verdict, with the reason given at the largest x
 * that has it. Transports without results are left out; '' if all are.
 * @param isBrief true = without the reasons
 */
export function evidenceSentence(cells: readonly CellRecord[], plan: RunPlan, isBrief = false): string {
  const parts = transportEvidence(cells, plan).map(({ name, verdict, cells: mine, such, largest }) => {
    const count = isBrief ? mine.length : plural(mine.length, 'configuration');
    const where = such.length === mine.length ? '' : ` at ${such.length} of ${count}`;
    const at = mine.length > 1 ? `${namedXOfPoint(plan, largest)}: ` : '';
    return `${shortTransport(name)} ${verdict}${where}${isBrief ? '' : ` (${at}${largest.evidence.reason})`}`;
  });
  return parts.length === 0 ? '' : `evidence: ${parts.join(' · ')}`;
}

/**
 * Returns whether byte counters show that the requested transport carried the data: "confirmed", "unproven" or "contradicted". If
 * configurations differ, returns each verdict with the number of its configurations: "confirmed 26, unproven 2". '' if `cells` is
 * empty.
 */
export function verdictText(cells: readonly OkCell[]): string {
  const counts = new Map<string, number>();
  for (const { evidence } of cells) counts.set(evidence.verdict, (counts.get(evidence.verdict) ?? 0) + 1);
  return counts.size === 1
    ? ([...counts.keys()][0] ?? '')
    : [...counts].map(([verdict, n]) => `${verdict} ${n}`).join(', ');
}

/**
 * Returns a text for a status line about which transports byte counters confirm: " · confirmed: socket, sisci · EMULATED: sisci".
 * Each transport is listed with its worst verdict, confirmed ones first; emulated transports are then listed once more. '' if
 * `cells` is empty.
 * @param isBrief true = writes "all confirmed" instead of the names, if there are several transports and all are confirmed
 */
export function evidenceText(cells: readonly OkCell[], isBrief = false): string {
  const found = transportsByVerdict(cells).reverse();
  const parts = found.map(({ verdict, names }) => {
    const isAll = isBrief && verdict === 'confirmed' && found.length === 1 && names.length > 1;
    return isAll ? 'all confirmed' : `${verdict}: ${joinWords(names)}`;
  });
  const emulated = cells.filter(({ medium }) => medium === 'emulated');
  const devices = [...new Set(emulated.map(({ transport }) => shortTransport(nameOfTransport(transport))))];
  return [...parts, ...(devices.length === 0 ? [] : [`EMULATED: ${joinWords(devices)}`])]
    .map((part) => ` · ${part}`)
    .join('');
}
