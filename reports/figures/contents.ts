// What the set holds: one row per figure and table of the thesis, with what to measure where runs do not have it.
import { averageFigure, rateFigure, timeFigure } from './collectives.ts';
import type { Material } from './gather.ts';
import { hardware } from './hardware.ts';
import type { Missing, Paper } from './paper.ts';
import { batchTime, collectiveTime } from './steps.ts';
import { usage } from './usage.ts';

interface Row extends Omit<Missing, 'kind'> {
  make(material: Material): Paper | null | Promise<Paper | null>;
}

const links = '--transport socket,sisci --link pcie-gen3-x8 --launches 5';
const sizes = {
  needs: 'a collective over message sizes',
  run: `collbench allreduce ${links} --min 8 --max 64M`,
};
const all = { needs: 'collectives over message sizes', run: 'collbench suite thesis' };
const steps = {
  needs: 'training steps (train) or their replay',
  run: `collbench replay resnet50,efficientnet_b0,mobilenet_v3_large ${links}`,
};

const rows: readonly Row[] = [
  { of: 'table', number: '5.1', title: 'Hardware', needs: 'a run', run: sizes.run, make: hardware('5.1') },
  { of: 'figure', number: '5.2', title: 'Algorithm bandwidth', ...sizes, make: rateFigure('5.2', false) },
  { of: 'figure', number: '5.3', title: 'Bus bandwidth', ...sizes, make: rateFigure('5.3', true) },
  { of: 'figure', number: '5.4', title: 'Time', ...sizes, make: timeFigure('5.4') },
  {
    of: 'figure',
    number: '5.5',
    title: 'Average algorithm bandwidth',
    ...all,
    make: averageFigure('5.5', false),
  },
  { of: 'figure', number: '5.6', title: 'Average bus bandwidth', ...all, make: averageFigure('5.6', true) },
  { of: 'figure', number: '6.1', title: 'Batch time', ...steps, make: batchTime('6.1') },
  {
    of: 'figure',
    number: '6.2',
    title: 'Collective time per batch',
    needs: 'training steps under the profiler (train), or their replay',
    run: steps.run,
    make: collectiveTime('6.2'),
  },
  {
    of: 'table',
    number: '6.1',
    title: 'System usage',
    needs: 'samples of system load (without --sample-interval off)',
    run: steps.run,
    make: usage('6.1'),
  },
];

export async function contentsOf(material: Material): Promise<{ papers: Paper[]; missing: Missing[] }> {
  const papers: Paper[] = [];
  const missing: Missing[] = [];
  for (const { make, ...row } of rows) {
    const made = await make(material);
    if (made === null) missing.push({ kind: 'missing', ...row });
    else papers.push(made);
  }
  return { papers, missing };
}
