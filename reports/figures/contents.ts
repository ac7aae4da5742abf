// Contents of the set of figures: one row per kind of figure and table, each with the command that measures the data if the runs
// lack them.
import { averageFigures, rateFigures, timeFigures } from './collectives.ts';
import type { FigureInput } from './gather.ts';
import { hardware } from './hardware.ts';
import type { MissingFigure, PaperItem } from './paper.ts';
import { batchTime, collectiveTime } from './steps.ts';
import { usage } from './usage.ts';

interface ContentsRow extends MissingFigure {
  make(material: FigureInput): PaperItem[] | Promise<PaperItem[]>;
}

const links = '--transport socket,sisci --link pcie-gen3-x8 --launches 5';
const sizes = {
  of: 'figures',
  needs: 'a collective over message sizes',
  run: `collbench allreduce ${links} --min 8 --max 64M`,
} as const;
const all = {
  of: 'figure',
  needs: 'collectives over message sizes',
  run: 'collbench suite thesis',
} as const;
const steps = {
  of: 'figure',
  needs: 'training steps (train) or their replay',
  run: `collbench replay resnet50,efficientnet_b0,mobilenet_v3_large ${links}`,
} as const;

const rows: readonly ContentsRow[] = [
  { of: 'table', title: 'Hardware', needs: 'a run', run: sizes.run, make: hardware },
  { ...sizes, title: 'Algorithm bandwidth', make: rateFigures(false) },
  { ...sizes, title: 'Bus bandwidth', make: rateFigures(true) },
  { ...sizes, title: 'Time', make: timeFigures },
  { ...all, title: 'Average algorithm bandwidth', make: averageFigures(false) },
  { ...all, title: 'Average bus bandwidth', make: averageFigures(true) },
  { ...steps, title: 'Batch time', make: batchTime },
  {
    ...steps,
    title: 'Collective time per batch',
    needs: 'training steps under the profiler (train), or their replay',
    make: collectiveTime,
  },
  {
    of: 'table',
    title: 'System usage',
    needs: 'samples of system load (without --sample-interval off)',
    run: steps.run,
    make: usage,
  },
];

export async function contentsOf(
  material: FigureInput,
): Promise<{ papers: PaperItem[]; missing: MissingFigure[] }> {
  const papers: PaperItem[] = [];
  const missing: MissingFigure[] = [];
  for (const { make, ...row } of rows) {
    const made = await make(material);
    papers.push(...made);
    if (made.length === 0) missing.push(row);
  }
  return { papers, missing };
}
