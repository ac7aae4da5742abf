// Link models fitted to runs: their parameters, how well they predict each time, and the option `--link` to copy.

import type { LinkParameter } from '../../results/models/link/device.ts';
import { linkText } from '../../results/models/link/fit.ts';
import type { FittedLink } from '../../results/models/link/fitted-link.ts';
import { detailText } from '../../results/schema/index.ts';
import { joinWords, plural, sizesText, sizeText, threeDigits } from '../../results/units.ts';
import { type DocumentBlock, type DocumentTable, tableOf } from '../document/blocks.ts';
import { terminalText } from '../document/terminal.ts';

/**
 * Relative error (0.1 = 10 %) of the time that a link model predicts for a message size, above which a sentence names that size.
 */
const notable = 0.1;
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

interface ShownParameter {
  parameter: LinkParameter;
  value: number;
  low: number;
  high: number;
}

/**
 * Returns the fitted parameters of a link in the form and unit in which users write them for `--link`, such as bandwidth instead of
 * cost per byte. `low` and `high` are the ends of the 95 % interval.
 */
function shownOf({ link, fit }: FittedLink): ShownParameter[] {
  return fit.costs.flatMap(({ name, ns, interval }) => {
    const parameter = link.device.costs[name];
    if (parameter === undefined) return [];
    const ends = [parameter.written(interval.low), parameter.written(interval.high)].sort((a, b) => a - b);
    return [{ parameter, value: parameter.written(ns), low: ends[0] as number, high: ends[1] as number }];
  });
}

/**
 * Returns, as one text, the names of the measured series to which the link model was not fitted. Of a series that was fitted only
 * in part, it names the unused sizes.
 */
const ignoredText = ({ ignored, from }: FittedLink['link']): string =>
  ignored
    .map(({ series, sizes }) => (from.includes(series) ? `${series} at ${sizesText(sizes)}` : series))
    .join('; ');

/**
 * Returns sentences about the reliability of a link model's parameters (bandwidth, latency and other costs): medium, software time
 * that was subtracted, sizes and parameters left out, error of the model.
 * @param unpaced runs over the same emulation without a link model. Their times, the cost of the software alone, were subtracted
 */
function sentences({ link, fit }: FittedLink, unpaced: readonly string[]): string[] {
  const titles = fit.notEstimated.map((name) => link.device.costs[name]?.title ?? name);
  const offs = fit.rows.map(({ off }) => Math.abs(off));
  const far = fit.rows.filter(({ off }) => Math.abs(off) > notable);
  return [
    ...(link.medium === 'emulated'
      ? [`EMULATED: ${detailText(link.detail)}. The figures describe a software device, not hardware.`]
      : []),
    ...(link.medium === 'unknown'
      ? ['Medium unknown: it is not recorded whether hardware was measured.']
      : []),
    ...(link.isKnown
      ? []
      : [`The steps of ${link.transport} are not known: each message counts as one write.`]),
    unpaced.length > 0 && link.isKnown
      ? `The time that the emulation itself takes (run ${unpaced.join(', ')}) is subtracted.`
      : `Software is counted as part of the link.${link.isKnown ? ' To subtract it: --unpaced RUN, the same over the emulation with --link none.' : ''}`,
    ...(link.tooFast.length > 0
      ? [`The emulation itself takes as long at ${sizesText(link.tooFast)}: left out.`]
      : []),
    ...(link.withoutOwn.length > 0
      ? [`The unpaced run does not have ${sizesText(link.withoutOwn)}: left out.`]
      : []),
    ...(link.ignored.length > 0 ? [`Not used, steps unknown: ${ignoredText(link)}.`] : []),
    ...(titles.length > 0 ? [`Too small to estimate: ${joinWords(titles)}. Left out of the model.`] : []),
    `Typical error ${percent(fit.medianOff)}, largest ${percent(Math.max(...offs))}.`,
    ...(far.length > 0
      ? [`Off by more than ${100 * notable} %: ${sizesText(far.map(({ point }) => point.bytes))}.`]
      : []),
  ];
}

/**
 * Returns the parameters of a fitted link model (bandwidth, latency, other costs) as text for a terminal. It ends with the option
 * `--link` and a command, to be copied.
 * @param unpaced runs over the same emulation without a link model. Their times, the cost of the software alone, were subtracted;
 * empty = the parameters include software costs
 */
export function linkReport(fitted: FittedLink, unpaced: readonly string[], width: number): string {
  const { link, fit } = fitted;
  const sizes = link.points.map(({ bytes }) => bytes);
  const range = `${sizeText(Math.min(...sizes))} to ${sizeText(Math.max(...sizes))}`;
  const head = `${link.transport}, ${link.engine} engine, as ${link.device.name} models it: ${joinWords(link.from)}, ${plural(sizes.length, 'time')}, ${range}`;
  const text = linkText(link.device, fit.costs);
  const paragraphs = [head, ...sentences(fitted, unpaced)].map(
    (text): DocumentBlock => ({ kind: 'paragraph', text }),
  );
  const document = terminalText([...paragraphs, costTable(fitted), sizeTable(fitted, unpaced.length > 0)], {
    columns: width,
    color: false,
  });
  // The commands are added after wrapping, so that each stays on one line and users can copy it.
  return `${document}
--link ${text}
Next: collbench pingpong --transport ${link.device.transport} --medium emulated --link ${text}
`;
}

const costTable = (fitted: FittedLink): DocumentTable =>
  tableOf<ShownParameter>(
    [
      { head: '', cell: ({ parameter }) => parameter.title },
      {
        head: 'value',
        align: 'right',
        cell: ({ parameter, value }) =>
          `${threeDigits(value)} ${parameter.unit === 'us' ? 'µs' : parameter.unit}`,
      },
      {
        head: '95 % interval',
        align: 'right',
        cell: ({ low, high }) =>
          `${threeDigits(low)} to ${Number.isFinite(high) ? threeDigits(high) : 'unlimited'}`,
      },
    ],
    shownOf(fitted),
  );

/**
 * Returns a table of the times to which a link model was fitted, one row per series and message size: measured, modelled, and the
 * relative error.
 * @param isUnpaced true if the time that the emulation itself takes is known; it has a column and was subtracted
 */
const sizeTable = ({ link, fit }: FittedLink, isUnpaced: boolean): DocumentTable =>
  tableOf<FittedLink['fit']['rows'][number]>(
    [
      { head: 'series', cell: ({ point }) => (link.from.length > 1 ? point.series : '') },
      { head: 'size', align: 'right', cell: ({ point }) => sizeText(point.bytes) },
      { head: 'measured', quantity: 'ns', cell: ({ point }) => point.timeNs },
      {
        head: 'emulation',
        quantity: 'ns',
        cell: ({ point }) => (!isUnpaced ? '' : point.ownNs === 0 ? null : point.ownNs),
      },
      { head: 'model', quantity: 'ns', cell: ({ modelNs }) => modelNs },
      { head: 'off', align: 'right', cell: ({ off }) => percent(off) },
    ],
    fit.rows,
  );

/**
 * Returns the parameters of a fitted link model (bandwidth, latency, other costs) as an object for --json.
 * @param unpaced runs over the same emulation without a link model, whose times were subtracted; empty = none
 */
export function linkObject({ link, fit }: FittedLink, unpaced: readonly string[]): object {
  const { transport, engine, medium, detail, device, isKnown, from, ignored, withoutOwn, tooFast } = link;
  return {
    type: 'link',
    ...{ transport, engine, medium, detail, device: device.name, stepsKnown: isKnown, from, unpaced },
    link: linkText(device, fit.costs),
    parameters: shownOf({ link, fit }).map(({ parameter, value, low, high }) => ({
      ...{ name: parameter.name, unit: parameter.unit, value },
      interval: { low, high: Number.isFinite(high) ? high : null },
    })),
    notEstimated: fit.notEstimated.map((name) => device.costs[name]?.name ?? name),
    medianOff: fit.medianOff,
    sizes: fit.rows.map(({ point, modelNs, off }) => ({
      ...{ series: point.series, bytes: point.bytes, measuredNs: point.timeNs, ownNs: point.ownNs },
      ...{ modelNs, off },
    })),
    leftOut: { series: ignored, withoutOwn, tooFast },
  };
}
