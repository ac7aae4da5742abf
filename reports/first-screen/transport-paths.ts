// Answers for each transport which path the data took: the requested adapter, a software device, or another path.
import { parseSeriesName } from '../../results/schema/index.ts';
import { type TransportEvidence, transportEvidence } from '../evidence.ts';
import { isOk, type ReportRun } from '../series.ts';
import { cutAfterWord, formatCount, joinWords, plural, shortTransport } from '../wording.ts';
import type { ReportAnswer } from './answer.ts';

/**
 * Maximum number of letters of the reason for a verdict on a transport; a longer reason is cut, and the evidence chapter has it in
 * full.
 */
const maxLetters = 100;

export function pathAnswer(runs: readonly ReportRun[]): ReportAnswer {
  const all = runs.flatMap(({ cells, record }) => transportEvidence(cells, record.plan).map(pathOf));
  const words = all.map(({ word }) => word);
  const word =
    (['No', 'Not proven'] as const).find((one) => words.includes(one)) ??
    (words.every((one) => one === 'Emulated') ? 'Emulated' : words.includes('Emulated') ? 'In part' : 'Yes');
  const texts = runs.length === 1 ? all.map(({ text }) => text) : [confirmedText(runs, all), ...doubts(all)];
  return { word: all.length === 0 ? '' : word, texts: [...new Set(texts)].filter((text) => text !== '') };
}

/**
 * Returns one sentence about the evidence of several runs: "confirmed in 64 of 64 configurations of 3 runs: socket and shm". It
 * also names transports that ran on a software device. '' if byte counters confirm the transport of no configuration.
 * @param all paths that the data took, one per run and transport
 */
function confirmedText(runs: readonly ReportRun[], all: readonly TransportPath[]): string {
  const ok = runs.flatMap(({ cells }) => cells.filter(isOk));
  const confirmed = ok.filter(({ evidence }) => evidence.verdict === 'confirmed');
  if (confirmed.length === 0) return '';
  const names = [
    ...new Set(confirmed.map((cell) => shortTransport(parseSeriesName(cell.transport).transport))),
  ];
  const emulated = [...new Set(all.flatMap((one) => (one.word === 'Emulated' ? [one.transport] : [])))];
  const device =
    emulated.length === 0
      ? ''
      : `; ${joinWords(emulated)} ran on ${emulated.length === 1 ? 'a software device' : 'software devices'}, no card`;
  return `confirmed in ${formatCount(confirmed.length)} of ${plural(ok.length, 'configuration')} of ${plural(runs.length, 'run')}: ${joinWords(names)}${device}`;
}

/**
 * Returns one sentence for each transport whose evidence is not "confirmed", so that other transports may have carried the data.
 */
const doubts = (all: readonly TransportPath[]): string[] => [
  ...new Map(
    all.filter(({ isConfirmed }) => !isConfirmed).map(({ transport, text }) => [transport, text]),
  ).values(),
];

interface TransportPath {
  word: 'Yes' | 'No' | 'Not proven' | 'Emulated';
  transport: string;
  isConfirmed: boolean;
  text: string;
}

function pathOf({ name, verdict, largest }: TransportEvidence): TransportPath {
  const said = `${verdict} (${cutAfterWord(largest.evidence.reason, maxLetters)})`;
  const short = shortTransport(name);
  const path = { transport: short, isConfirmed: verdict === 'confirmed' };
  if (verdict === 'contradicted') return { ...path, word: 'No', text: `${short} ${said}` };
  if (largest.medium === 'emulated')
    return { ...path, word: 'Emulated', text: `${short} ran on a software device, no card; ${said}` };
  return { ...path, word: verdict === 'confirmed' ? 'Yes' : 'Not proven', text: `${short} ${said}` };
}
