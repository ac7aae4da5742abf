// Refusal messages about link models that cannot be computed from a run.
import { sizesText } from '../../units.ts';
import { cannotRunHere, invalid } from '../wording.ts';

const pingpong = (transport: string): `collbench ${string}` =>
  `collbench pingpong --transport ${transport} --min 8 --max 16M`;

export const linkTexts = {
  'link-takes': invalid(() => ({
    message: 'link fit needs a run',
    details: ['allowed: one run, or several of the same transport'],
    next: 'collbench runs',
  })),
  'link-fit-nothing': cannotRunHere(
    ({ runs, ignored }: { runs: readonly string[]; ignored: readonly string[] }) => ({
      message: `no link model: ${runs.join(', ')} has no series whose steps on the link are known`,
      details: [
        ...(ignored.length > 0 ? [`measured: ${ignored.join(', ')}`] : []),
        'allowed: pingpong, put with --window 16 or more, collectives with --algo ring; 2 ranks for pingpong and put',
      ],
      next: pingpong('sisci'),
    }),
  ),
  'link-fit-sizes': cannotRunHere(
    (found: {
      transport: string;
      sizes: number;
      least: number;
      withoutOwn: readonly number[];
      tooFast: readonly number[];
    }) => ({
      message: `no link model of ${found.transport}: ${found.sizes} ${found.sizes === 1 ? 'size' : 'sizes'}, at least ${found.least} are needed`,
      details: [
        ...(found.withoutOwn.length > 0
          ? [`the unpaced run does not have ${sizesText(found.withoutOwn)}`]
          : []),
        ...(found.tooFast.length > 0
          ? [
              `the emulation itself takes as long at ${sizesText(found.tooFast)}: no model can give these times`,
            ]
          : []),
      ],
      next:
        found.withoutOwn.length > found.sizes
          ? `collbench pingpong --transport ${found.transport} --medium emulated`
          : pingpong(found.transport),
    }),
  ),
  'link-fit-not-estimated': cannotRunHere(
    (values: { transport: string; cost: string; reason: string; next: `collbench ${string}` }) => ({
      message: `no link model of ${values.transport}: the run does not show the ${values.cost}`,
      details: [values.reason],
      next: values.next,
    }),
  ),
  'link-fit-poor': cannotRunHere(
    ({ transport, medianOff, most }: { transport: string; medianOff: number; most: number }) => ({
      message: `no link model of ${transport}: half of the sizes are off by more than ${(100 * medianOff).toFixed(0)} %`,
      details: [
        `allowed: ${100 * most} %. The times do not follow one latency and one bandwidth: measure on idle machines`,
      ],
      next: pingpong(transport),
    }),
  ),
  'link-unpaced': cannotRunHere(({ run, why }: { run: string; why: string }) => ({
    message: `--unpaced ${run}: ${why}`,
    details: ['allowed: a run over the emulation of the same transport, with --link none'],
    next: 'collbench pingpong --transport sisci --medium emulated',
  })),
};
