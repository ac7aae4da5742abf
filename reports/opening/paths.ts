// Which way the data went, by transport: the card that was asked for, a software device, or another way.
import type { OkCell, TransportPlan } from '../../results/schema/index.ts';
import { isOk, type ReportedRun, xIn } from '../series.ts';
import { seriesParts, shortTransport } from '../wording.ts';
import type { Answer } from './answer.ts';

/** The first of several reasons, cut where it is long: their chapter has them whole. */
const mostLetters = 100;

export function pathAnswer(runs: readonly ReportedRun[]): Answer {
  const all = runs.flatMap((run) =>
    distinct(run.record.plan.transports).flatMap((transport) => pathOf(run, transport) ?? []),
  );
  const words = all.map(({ word }) => word);
  const word =
    (['No', 'Not proven'] as const).find((one) => words.includes(one)) ??
    (words.every((one) => one === 'Emulated') ? 'Emulated' : words.includes('Emulated') ? 'In part' : 'Yes');
  return { word: all.length === 0 ? '' : word, texts: [...new Set(all.map(({ text }) => text))] };
}

/** Variants of one transport go the same way. */
const distinct = (transports: readonly TransportPlan[]): TransportPlan[] => [
  ...new Map(transports.map((one) => [seriesParts(one.name).transport, one])).values(),
];

type Path = { word: 'Yes' | 'No' | 'Not proven' | 'Emulated'; text: string };

function pathOf(run: ReportedRun, { name, medium }: TransportPlan): Path | null {
  const { transport } = seriesParts(name);
  const mine = run.cells.filter(isOk).filter((cell) => seriesParts(cell.transport).transport === transport);
  const worst = (['contradicted', 'unproven', 'confirmed'] as const).find((verdict) =>
    mine.some(({ evidence }) => evidence.verdict === verdict),
  );
  if (worst === undefined) return null;
  const said = `${worst} (${reasonOf(run, mine, worst)})`;
  const short = shortTransport(transport);
  if (worst === 'contradicted') return { word: 'No', text: `${short} ${said}` };
  if (medium === 'emulated')
    return { word: 'Emulated', text: `${short} ran on a software device, no card; ${said}` };
  return { word: worst === 'confirmed' ? 'Yes' : 'Not proven', text: `${short} ${said}` };
}

/** Of the largest x, where most was moved. */
function reasonOf({ record: { plan } }: ReportedRun, cells: readonly OkCell[], verdict: string): string {
  const such = cells.filter(({ evidence }) => evidence.verdict === verdict);
  const largest = such.reduce((a, b) => (xIn(plan, b) > xIn(plan, a) ? b : a));
  const [reason = ''] = largest.evidence.reason.split('; ');
  return reason.length <= mostLetters ? reason : `${reason.slice(0, mostLetters)}…`;
}
