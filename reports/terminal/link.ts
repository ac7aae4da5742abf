// Link models fitted to runs: the costs, how well they predict each time, and the option to copy.
import { type FittedLink, type LinkParameter, linkText } from '../../results/models/link/index.ts';
import { joinWords, plural, sizesText, sizeText, threeDigits } from '../../results/units.ts';
import { formatTime, wrap } from '../wording.ts';
import { column, headLine, line } from './columns.ts';

/** Relative error of the fitted link model at a size from which the size is named in a sentence. */
const notable = 0.1;
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

interface ShownParameter {
  parameter: LinkParameter;
  value: number;
  low: number;
  high: number;
}

/**
 * Returns the fitted parameters of a link in the form in which users write them, such as bandwidth instead of cost per byte.
 * The inverse of a cost has the ends of its interval swapped.
 */
function shownOf({ link, fit }: FittedLink): ShownParameter[] {
  return fit.costs.flatMap(({ name, ns, interval }) => {
    const parameter = link.device.costs[name];
    if (parameter === undefined) return [];
    const ends = [parameter.written(interval.low), parameter.written(interval.high)].sort((a, b) => a - b);
    return [{ parameter, value: parameter.written(ns), low: ends[0] as number, high: ends[1] as number }];
  });
}

/** Returns a text about the series that the fit did not use. If a series was partly used, the text names its unused sizes. */
const ignoredText = ({ ignored, from }: FittedLink['link']): string =>
  ignored
    .map(({ series, sizes }) => (from.includes(series) ? `${series} at ${sizesText(sizes)}` : series))
    .join('; ');

/**
 * Returns sentences about the reliability of the fitted parameters.
 * @param unpaced runs over the same emulation without a link model, whose times (cost of the software alone) were subtracted
 */
function sentences({ link, fit }: FittedLink, unpaced: readonly string[]): string[] {
  const titles = fit.untold.map((name) => link.device.costs[name]?.title ?? name);
  const offs = fit.rows.map(({ off }) => Math.abs(off));
  const far = fit.rows.filter(({ off }) => Math.abs(off) > notable);
  return [
    ...(link.medium === 'emulated'
      ? [`EMULATED: ${link.detail}. The figures describe a software device, not hardware.`]
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
 * Returns the parameters of a fitted link as text for a terminal.
 * @param unpaced runs over the same emulation without a link model, whose times (cost of the software alone) were subtracted;
 * empty = the parameters include software costs
 */
export function linkReport(fitted: FittedLink, unpaced: readonly string[], width: number): string {
  const { link, fit } = fitted;
  const sizes = link.points.map(({ bytes }) => bytes);
  const range = `${sizeText(Math.min(...sizes))} to ${sizeText(Math.max(...sizes))}`;
  const head = `${link.transport}, ${link.engine} engine, as ${link.device.name} models it: ${joinWords(link.from)}, ${plural(sizes.length, 'time')}, ${range}`;
  const costs = [
    column('title', '', 12, 'left'),
    column('value', 'value', 18),
    column('interval', '95 % interval', 20),
  ];
  const hasSeries = link.from.length > 1;
  const rows = [
    ...(hasSeries
      ? [column('series', 'series', Math.max(...link.from.map((name) => name.length)), 'left')]
      : []),
    column('size', 'size', 7),
    column('measured', 'measured', 9),
    ...(unpaced.length > 0 ? [column('own', 'emulation', 9)] : []),
    column('model', 'model', 9),
    column('off', 'off', 7),
  ];
  const text = linkText(link.device, fit.costs);
  return [
    ...wrap(head, width, '  '),
    ...sentences(fitted, unpaced).flatMap((sentence) =>
      wrap(sentence, width - 2, '  ').map((one) => `  ${one}`),
    ),
    '',
    headLine(costs),
    ...shownOf(fitted).map(({ parameter, value, low, high }) =>
      line(costs, {
        title: parameter.title,
        value: `${threeDigits(value)} ${parameter.unit}`,
        interval: `${threeDigits(low)} to ${Number.isFinite(high) ? threeDigits(high) : 'unlimited'}`,
      }),
    ),
    '',
    headLine(rows),
    ...fit.rows.map(({ point, modelNs, off }) =>
      line(rows, {
        series: point.series,
        size: sizeText(point.bytes),
        measured: formatTime(point.timeNs),
        own: point.ownNs === 0 ? '-' : formatTime(point.ownNs),
        model: formatTime(modelNs),
        off: percent(off),
      }),
    ),
    '',
    `--link ${text}`,
    `Next: collbench pingpong --transport ${link.device.transport} --medium emulated --link ${text}`,
    '',
  ].join('\n');
}

/**
 * Returns the parameters of a fitted link as an object for --json.
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
    untold: fit.untold.map((name) => device.costs[name]?.name ?? name),
    medianOff: fit.medianOff,
    sizes: fit.rows.map(({ point, modelNs, off }) => ({
      ...{ series: point.series, bytes: point.bytes, measuredNs: point.timeNs, ownNs: point.ownNs },
      ...{ modelNs, off },
    })),
    leftOut: { series: ignored, withoutOwn, tooFast },
  };
}
