// Draws the main chart of a run or a comparison as PNG. Title and caption are part of the picture, because a chat that shows it
// shows no other text.
import { nameOfRun } from '../../results/compare/run.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type Comparison, detailParts, type RunPlan } from '../../results/schema/index.ts';
import { joinPresent } from '../../results/text.ts';
import type { ChartFigure } from '../charts/chart.ts';
import { chartsOf, figuresOfChart } from '../charts/index.ts';
import { ratioFigures } from '../comparison/chart.ts';
import { plain } from '../comparison/texts.ts';
import { intervalNote } from '../plots/run.ts';
import { groupsOfRun, type ReportRun } from '../series.ts';
import { shortTransport } from '../wording.ts';
import { rasterise } from './raster.ts';
import { pictureSvg } from './svg.ts';

type PlannedTransport = RunPlan['transports'][number];

/**
 * Draws a chart of a run as a PNG picture: the first chart of the first operation that has one. The run's id, date and media are
 * below the title.
 * @throws Refusal if the run has no chart, or if no font or no program that renders the picture is found
 */
export async function runPicture(run: Pick<ReportRun, 'record' | 'cells'>): Promise<Uint8Array> {
  const { record } = run;
  const [main] = groupsOfRun(run).flatMap((group) => {
    const [first] = chartsOf(group.row).flatMap((chart) => figuresOfChart(chart, group));
    return first === undefined ? [] : [first];
  });
  if (main === undefined) throw refuse('no-picture', { command: `show ${record.id}` });
  const media = record.plan.transports.map(mediumText).join(' · ');
  const when = record.startedAt.slice(0, 16).replace('T', ' ');
  return drawn(main.figure, `run ${nameOfRun(record)}, ${when} UTC · ${media}. ${intervalNote(main.group)}`);
}

/**
 * Draws the first chart of a comparison of runs as a PNG picture, with the verdicts below the title.
 * @throws Refusal if the comparison has no chart, or if no font or no program that renders the picture is found
 */
export async function comparisonPicture(comparison: Comparison): Promise<Uint8Array> {
  const { base, others } = comparison;
  const names = [base, ...others].map((run) => `${nameOfRun(run)} (${run.startedAt.slice(0, 10)})`);
  const [figure] = ratioFigures(comparison);
  if (figure === undefined) throw refuse('no-picture', { command: `compare ${base.id}` });
  const media = [...new Set(comparison.pairs.flatMap(({ groups }) => groups.map(({ medium }) => medium)))];
  const verdicts = comparison.pairs.map(({ summary }) => plain(summary, 200)).join(' ');
  return drawn(figure, `${names.join(' and ')} · ${media.join(', ')}. ${verdicts}`);
}

/** Returns a transport, its medium and its details: "sisci: EMULATED, softntb link none". */
const mediumText = ({ name, medium, detail }: PlannedTransport): string =>
  joinPresent(
    [
      `${shortTransport(name)}: ${medium === 'emulated' ? 'EMULATED' : medium}`,
      detailParts(detail, '').join(' '),
    ],
    ', ',
  );

const drawn = async (figure: ChartFigure, subtitle: string): Promise<Uint8Array> =>
  rasterise(await pictureSvg(figure, subtitle));
