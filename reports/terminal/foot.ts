import type pc from 'picocolors';
import { missingP95, retriedLegend } from '../../results/derive/index.ts';
import {
  type CellRecord,
  headlineNames,
  headlineOf,
  measuredOf,
  whatOf,
} from '../../results/schema/index.ts';
import { averageSentences } from '../averages.ts';
import { besideSentences } from '../beside.ts';
import { enqueueBoundSentence } from '../device.ts';
import { modelCountSentence, modelSentences } from '../models.ts';
import { partLines } from '../parts/terminal.ts';
import { intervalsSentence, precisionSentence } from '../precision.ts';
import { rowOf, timesOnDevice } from '../rows.ts';
import { groupsOf, isOk, namedXIn } from '../series.ts';
import { sideBySideSentences } from '../side-by-side.ts';
import {
  comparisonSentences,
  evidenceSentence,
  flagSentence,
  intervalSentence,
  mostModels,
  noteSentence,
  verificationSentence,
} from '../summary.ts';
import { formatDuration, plural, shortTransport, wrap } from '../wording.ts';
import { bestLines } from './best.ts';
import type { HeadOptions } from './head.ts';
import { layoutFor } from './layout.ts';

export interface FootInput {
  cells: readonly CellRecord[];
  elapsedS: number;
  /** Shown as the last thing when given. */
  reportPath?: string | null;
  /** courseSentence() of the record; "" or absent for a run in one go. */
  resumed?: string;
  /** Of a search among hosts: what it found, and its runs (RunRecord.summary). */
  found?: readonly string[];
}

/** Verdicts under the table; nothing here is computed that `summarise` does not store as well. */
export function footLines(
  options: HeadOptions,
  input: FootInput,
  width: number,
  colours: ReturnType<typeof pc.createColors>,
): string[] {
  const { plan } = options;
  const ok = input.cells.filter(isOk);
  const lines: string[] = [];
  const say = (text: string, paint: (t: string) => string = (t) => t) => {
    if (text !== '') lines.push(...wrap(text, width, '  ').map(paint));
  };
  const record = { id: '', plan, inventory: {}, launches: [] };
  const groups = groupsOf([{ record, cells: input.cells }]);
  for (const sentence of averageSentences(groups)) say(sentence);
  lines.push(...partLines(groups, width, colours), '');
  for (const sentence of comparisonSentences(groups)) say(`${sentence}.`);
  say(enqueueBoundSentence(groups));
  const best = bestLines(groups, width, colours);
  lines.push(...(lines.at(-1) === '' ? best.slice(1) : best));
  for (const sentence of sideBySideSentences(groups)) say(`${sentence}.`);
  for (const sentence of besideSentences(groups)) say(`${sentence}.`);
  const models = modelSentences(groups);
  if (models.length > mostModels) say(modelCountSentence(groups));
  else for (const sentence of models) say(`${sentence}.`);
  const [headline = ''] = plan.workloads.flatMap(headlineNames);
  const isNarrow = timesOnDevice(plan) && layoutFor(plan, width).each.every((c) => c.key !== 'spread');
  if (isNarrow && ok.some((cell) => measuredOf(cell, headline) !== null)) say(intervalSentence(ok, headline));
  for (const cell of ok.filter((c) => c.verification.wrongElements > 0).slice(0, 3)) {
    const { first } = cell.verification;
    const where = `${whatOf(rowOf(plan, cell), cell.axes)} ${namedXIn(plan, cell)} over ${shortTransport(cell.transport)}${cell.group === undefined ? '' : `, ${cell.group.name}`}`;
    const what =
      first === null
        ? ''
        : `: first at rank ${first.rank}, iteration ${first.iteration}, index ${first.index}, wanted ${first.wanted}, got ${first.got}${first.note === '' ? '' : ` (${first.note})`}`;
    say(`wrong data: ${where}, ${plural(cell.verification.wrongElements, 'element')}${what}`, colours.red);
  }
  const evidence = evidenceSentence(input.cells, plan);
  say(evidence, evidence.includes('contradicted') ? colours.red : undefined);
  say(precisionSentence(ok, plan));
  say(intervalsSentence(ok, plan));
  const flags = flagSentence(ok);
  if (flags !== '') say(`! ${flags}`, colours.yellow);
  say(retriedLegend(options));
  const notes = noteSentence(ok);
  if (notes !== '') say(notes);
  const headlines = ok.map((cell) => headlineOf(rowOf(plan, cell), cell));
  const reasons = headlines.flatMap((one) =>
    one?.interval === null ? [one.intervalReason ?? 'no interval'] : [],
  );
  const [why] = reasons;
  const others = reasons.filter((reason) => reason !== why).length;
  if (why !== undefined) say(`± -: ${why}${others === 0 ? '' : ` (and ${others} more)`}`);
  if (layoutFor(plan, width).each.some(({ key }) => key === 'p95'))
    for (const clause of missingP95(headlines.filter((one) => one !== null))) say(`p95 -: ${clause}`);
  const expected = plan.expected.cells;
  if (ok.length !== expected)
    say(`${ok.length} of ${plural(expected, 'configuration')} measured`, colours.red);
  if (input.resumed) say(input.resumed);
  const verified = verificationSentence(ok);
  say(
    `${verified} · ${formatDuration(input.elapsedS)}`,
    verified.startsWith('verified: ') ? undefined : colours.red,
  );
  // The path stays whole on a line of its own so that it can be copied, however narrow the terminal is.
  if (input.reportPath) lines.push(`report: ${input.reportPath}`);
  return lines;
}
