// Judges whether the results are good for this machine, by the highest rates of its links, or by recorded results of similar
// machines.
import type { Background } from '../../results/background.ts';
import type { ReferenceRun } from '../../results/reference-runs.ts';
import { isDisturbed } from '../../results/schema/index.ts';
import { chartedRow, figureText } from '../rows.ts';
import {
  cellAt,
  figureOf,
  groupOfFigure,
  groupsOf,
  isOnDevice,
  rateOf,
  type Series,
  type SeriesGroup,
  xsOf,
} from '../series.ts';
import { formatBandwidth, formatPercent, joinWords, plural, shortTransport } from '../wording.ts';
import type { ReportAnswer } from './answer.ts';
import type { SeriesHeadline } from './headlines.ts';

/** Maximum share by which a result may be worse than that of a recorded run and still count as equally good. */
const likeReference = 0.1;
/**
 * Minimum share of a link's maximum bandwidth for a result to count as good. Protocol headers and copies always take some of the
 * bandwidth.
 */
const nearCeiling = 0.8;
const halfOfCeiling = 0.5;
/** Maximum number of series that an answer names. */
const maxNamed = 3;

export function isGoodAnswer(
  headlines: readonly SeriesHeadline[],
  { references, last }: Background,
): ReportAnswer {
  const onHardware = headlines.filter(({ series }) => series.medium !== 'emulated');
  const byReference = onHardware.flatMap((one) => againstReferences(one, references));
  const byCeiling = headlines.filter(({ ceiling }) => ceiling !== null);
  const links = byCeiling.filter(({ ceiling }) => ceiling?.of.of === 'link');
  const texts = [...byReference.map(({ text }) => text), ...ceilingTexts(byCeiling)];
  const shares = links.map(({ ceiling }) => ceiling?.share ?? 0);
  const ratios = byReference.flatMap(({ ratio }) => ratio ?? []);
  if (ratios.length > 0) {
    const worst = Math.min(...ratios);
    return { word: worst >= 1 - likeReference ? 'Yes' : 'No', texts };
  }
  if (shares.length > 0) {
    const worst = Math.min(...shares);
    return { word: worst >= nearCeiling ? 'Yes' : worst >= halfOfCeiling ? 'In part' : 'No', texts };
  }
  if (onHardware.length === 0 && headlines.length > 0)
    return {
      word: 'Not judged',
      texts: [...texts, `emulated: the speed of this machine’s memory, not of a card`],
    };
  if (byReference.length > 0) return { word: 'Not known', texts };
  const why = `no link rate is known for ${unknownNames(onHardware)}, and no reference run of such a machine ships with collbench`;
  const next = last === null ? '' : 'it is compared with the last run below';
  return { word: 'Not known', texts: [...texts, why, next].filter((text) => text !== '') };
}

const unknownNames = (headlines: readonly SeriesHeadline[]): string =>
  joinWords([
    ...new Set(
      headlines
        .filter(({ ceiling }) => ceiling?.of.of !== 'link')
        .map(({ series }) => shortTransport(series.transport)),
    ),
  ]) || 'it';

function ceilingTexts(headlines: readonly SeriesHeadline[]): string[] {
  const texts = headlines.flatMap(({ series, ceiling, rate, group }) => {
    if (ceiling === null || rate === null) return [];
    const over = ceiling.share > 1 ? ' (above it: not every byte crosses that link)' : '';
    return [
      `${series.name} reaches ${formatPercent(ceiling.share)} of ${ceiling.of.name} (${formatBandwidth(ceiling.of.busGBps)}) at ${group.x.text(rate.x)}${over}`,
    ];
  });
  const shown = [...new Set(texts)].slice(0, maxNamed);
  const rest = new Set(texts).size - shown.length;
  return rest > 0 ? [...shown, `${rest} more in the table of all series`] : shown;
}

interface RatioCheck {
  text: string;
  /**
   * Speed of this run divided by that of the recorded run, once from the latencies and once from the rates; the lower value. Below
   * 1 this run is slower. Null if this run was disturbed at all common sizes.
   */
  ratio: number | null;
  /** Number of message sizes that both runs measured. */
  sizes: number;
}

/**
 * Compares a series with the same series of recorded runs, if their times are measured by the same kind of clock. It compares the
 * times at the smallest common size and the rates at the largest, of the sizes at which nothing disturbed this run. Of several recorded runs, the one with the most sizes in common
 * is used.
 * @returns one comparison, or none if no recorded run has the series with a common size
 */
function againstReferences(
  { group, series }: SeriesHeadline,
  references: readonly ReferenceRun[],
): RatioCheck[] {
  const found = references.flatMap((reference) => {
    const like = groupsOf([reference.run]).find(({ key }) => key === group.key);
    const other = like?.series.find(
      (one) => one.transport === series.transport && one.medium === series.medium,
    );
    if (like === undefined || other === undefined || isOnDevice(like) !== isOnDevice(group)) return [];
    return likeness({ group, series }, { group: like, series: other }, reference) ?? [];
  });
  return found.sort((a, b) => b.sizes - a.sizes).slice(0, 1);
}

type SeriesInGroup = { group: SeriesGroup; series: Series };

function likeness(
  mine: SeriesInGroup,
  theirs: SeriesInGroup,
  { name, machine }: ReferenceRun,
): RatioCheck | null {
  const both = xsOf([mine.series]).filter(
    (x) => valueAt(mine, x) !== null && valueAt(theirs, x) !== null && x > 0,
  );
  if (both.length === 0) return null;
  const where = `the reference run on ${machine} (${name})`;
  const clean = both.filter((x) => !isDisturbedAt(mine, x));
  const [small, large] = [clean[0], clean.at(-1)];
  if (small === undefined || large === undefined) {
    const sizes = plural(both.length, 'common size');
    return {
      ratio: null,
      sizes: both.length,
      text: `${mine.series.name} is not compared with ${where}: flagged at ${both.length === 1 ? 'the' : 'all'} ${sizes}`,
    };
  }
  const texts: string[] = [];
  const ratios: number[] = [];
  const [here, there] = [valueAt(mine, small), valueAt(theirs, small)];
  if (here !== null && there !== null) {
    ratios.push(there / here);
    texts.push(`${figureText('ns', here)} at ${mine.group.x.text(small)} (there ${figureText('ns', there)})`);
  }
  const of = chartedRow(mine.group.row);
  const [rate, otherRate] = [of, of].map((row, i) => {
    const { group, series } = i === 0 ? mine : theirs;
    return row === undefined ? null : rateOf(cellAt(series, large), groupOfFigure(group, row), row.name);
  });
  if (of !== undefined && rate != null && otherRate != null) {
    ratios.push(rate / otherRate);
    texts.push(
      `${figureText(of.unit, rate)} at ${mine.group.x.text(large)} (there ${figureText(of.unit, otherRate)})`,
    );
  }
  const ratio = Math.min(...ratios);
  const word = ratio >= 1 - likeReference ? 'as fast as' : 'slower than';
  return {
    ratio,
    sizes: both.length,
    text: `${mine.series.name} is ${word} ${where}: ${joinWords(texts)}`,
  };
}

function isDisturbedAt({ series }: SeriesInGroup, x: number): boolean {
  const cell = cellAt(series, x);
  return cell?.status === 'ok' && isDisturbed(cell);
}

const valueAt = ({ group, series }: SeriesInGroup, x: number): number | null =>
  figureOf(cellAt(series, x), group)?.value ?? null;
