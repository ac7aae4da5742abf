import {
  type ChangeCheck,
  changeLimit,
  type StepCheck,
  type StepComparison,
  type StepTime,
  stepLimit,
} from '../../results/models/step-check.ts';
import type { SettingChange } from '../../results/schema/index.ts';
import { foldSettings, settingText } from '../comparison/texts.ts';
import { type DocumentBlock, tableOf } from '../document/blocks.ts';
import { terminalText } from '../document/terminal.ts';
import { formatPercent, formatTime, joinWords, spreadText, wrap } from '../wording.ts';

const signed = (value: number, text: (size: number) => string): string =>
  `${value < 0 ? '-' : '+'}${text(Math.abs(value))}`;
const errorText = (error: number) => (Math.abs(error) < 0.001 ? '0 %' : signed(error, formatPercent));
const verdict = (isWithin: boolean | null, limit: number, open: string): string =>
  isWithin === null ? open : `${isWithin ? 'within' : 'over'} ${limit * 100} %`;
/** Returns half the width of a time's 95 % interval as text; "-" without an interval. */
const halfText = ({ ns, lowNs, highNs }: StepTime): string =>
  lowNs === null || highNs === null ? '-' : spreadText(ns, { low: lowNs, high: highNs });

/**
 * Returns a comparison of predicted with measured times of one training step as text for a terminal.
 * @param job name of the training program that is imitated
 * @param missing collectives that the prediction leaves out, because they were not measured
 */
export function stepCheckText(
  job: string,
  check: StepCheck,
  missing: readonly string[],
  width: number,
): string {
  const { steps, changes, onlyPredicted, onlyMeasured } = check;
  const sentences = [
    ...whereLines(steps, changes),
    ...(missing.length > 0 ? [`left out of the prediction, not measured alone: ${joinWords(missing)}`] : []),
    ...(onlyPredicted.length > 0 ? [`predicted, not measured: ${joinWords(onlyPredicted)}`] : []),
    ...(onlyMeasured.length > 0 ? [`measured, not predicted: ${joinWords(onlyMeasured)}`] : []),
  ];
  const paragraph = (text: string): DocumentBlock => ({ kind: 'paragraph', text });
  return terminalText(
    [
      paragraph(`step of ${job}: predicted and measured`),
      stepTable(steps),
      changeTable(changes),
      ...sentences.map(paragraph),
    ],
    { columns: width, color: false },
  );
}

/** Returns the table of predicted and measured times of a step, one row per transport. */
const stepTable = (steps: readonly StepComparison[]) =>
  tableOf<StepComparison>(
    [
      { head: 'over', cell: ({ transport }) => transport },
      { head: 'predicted', quantity: 'ns', cell: ({ predicted }) => predicted.ns },
      { head: '±', align: 'right', cell: ({ predicted }) => halfText(predicted) },
      { head: 'measured', quantity: 'ns', cell: ({ measured }) => measured.ns },
      { head: '±', align: 'right', cell: ({ measured }) => halfText(measured) },
      { head: 'error', align: 'right', cell: ({ error }) => errorText(error) },
      { head: '', cell: ({ isWithin }) => verdict(isWithin, stepLimit, 'intervals overlap') },
    ],
    steps,
  );

/** Returns the table of how the step's time changes from one transport to the others, predicted and measured. */
const changeTable = (changes: readonly ChangeCheck[]) =>
  tableOf<ChangeCheck>(
    [
      { head: `change from ${changes[0]?.from}`, cell: ({ to }) => to },
      { head: 'predicted', align: 'right', cell: ({ predictedNs }) => signed(predictedNs, formatTime) },
      { head: 'measured', align: 'right', cell: ({ measuredNs }) => signed(measuredNs, formatTime) },
      { head: 'error', align: 'right', cell: ({ error }) => errorText(error) },
      {
        head: '',
        cell: ({ error, isWithin }) =>
          isWithin && Math.abs(error) > changeLimit
            ? 'intervals overlap'
            : verdict(isWithin, changeLimit, 'no change measured'),
      },
    ],
    changes,
  );

/**
 * Returns lines that say which part of a training step was predicted wrongly: computation, which all transports share, or
 * collectives over one transport. Further lines name transports whose predicted and measured step ran on different media, and
 * disturbed steps. Empty if no error exceeds its limit (`isWithin` is false for none).
 * @param steps predicted and measured time of the step, by transport
 * @param changes predicted and measured change of the time from one transport to the others
 */
function whereLines(steps: readonly StepComparison[], changes: readonly ChangeCheck[]): string[] {
  const wrong = steps.filter(({ isWithin }) => isWithin === false);
  if (wrong.length === 0 && changes.every(({ isWithin }) => isWithin !== false)) return [];
  const shared = steps[0]?.sharedNs ?? 0;
  const about = (ns: number) => `${formatTime(Math.abs(ns))} too ${ns > 0 ? 'short' : 'long'}`;
  const isLarge = steps.some(({ measured }) => Math.abs(shared) > 0.01 * measured.ns);
  const isOff = ({ transport, isWithin }: StepComparison): boolean =>
    isWithin === false || changes.some(({ to, isWithin: is }) => to === transport && is === false);
  const own = steps.filter((step) => isOff(step) && Math.abs(step.ownNs) > 0.01 * step.measured.ns);
  return [
    ...(!isLarge
      ? []
      : [
          `over every transport the prediction is ${about(shared)}: computation of the job differs from that of the measured steps`,
        ]),
    ...own.map(
      ({ transport, ownNs }) =>
        `over ${transport} it is ${isLarge ? 'another ' : ''}${about(ownNs)}: collectives take ${ownNs > 0 ? 'longer' : 'less time'} in the job than predicted, or overlap ${ownNs > 0 ? 'less' : 'more'}`,
    ),
    ...steps
      .filter(
        ({ predicted, measured }) => measured.medium !== 'unknown' && predicted.medium !== measured.medium,
      )
      .map(
        ({ transport, predicted, measured }) =>
          `${transport}: predicted on ${predicted.medium}, measured on ${measured.medium}`,
      ),
    ...wrong.flatMap(disturbedLines),
  ];
}

/**
 * Returns a line that says if the predicted or the measured training step is flagged as disturbed: "socket was disturbed: predicted
 * step (retransmits), measured step (retransmits)". Empty if neither is flagged.
 */
function disturbedLines({ transport, predicted, measured }: StepComparison): string[] {
  const sides = [
    ['predicted', predicted.flags ?? []],
    ['measured', measured.flags ?? []],
  ] as const;
  const hit = sides.flatMap(([side, flags]) =>
    flags.length === 0 ? [] : [`${side} step (${flags.join(', ')})`],
  );
  return hit.length === 0 ? [] : [`${transport} was disturbed: ${hit.join(', ')}`];
}

/**
 * Returns, as text that ends with a newline, the recorded settings that differ between the run from which steps were predicted and
 * the run that measured them, and so may explain a wrong prediction. '' if all predictions are within their limits, or if no
 * setting differs.
 */
export function stepSettingsText(
  checks: readonly StepCheck[],
  settings: readonly SettingChange[],
  width: number,
): string {
  const isOff = checks.some(({ steps, changes }) =>
    [...steps, ...changes].some((one) => one.isWithin === false),
  );
  if (!isOff || settings.length === 0) return '';
  const shown = foldSettings(settings)
    .map((setting) => settingText(setting))
    .join(' · ');
  return `${wrap(`from the predicting to the measured run: ${shown}`, width, '  ').join('\n')}\n`;
}
