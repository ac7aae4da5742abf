import type { FigureData } from '../data.ts';

const rates: FigureData[] = [
  {
    name: 'rate',
    unit: '1/s',
    better: 'higher',
    head: 'puts/s',
    title: 'put rate',
    column: 'put',
    caption: 'Puts of all queues together per second',
    definition: 'The put rate counts the puts of all queues.',
    trial: null,
    from: ['pipelined', 'latency'],
    isCharted: true,
    formula: 'Puts of one operation by time.',
  },
  {
    name: 'bandwidth',
    unit: 'GB/s',
    better: 'higher',
    head: 'bandw',
    longHead: 'bandwidth',
    title: 'bandwidth',
    caption: 'Bytes of all queues together per second',
    definition: 'Bandwidth is the bytes of all puts of one operation over its time.',
    trial: null,
    from: ['pipelined', 'latency'],
    formula: 'Bytes of all puts of one operation by time.',
  },
];

const made: Pick<FigureData, 'better' | 'trial' | 'from'> = { better: 'lower', trial: null, from: [] };

/** Phases into which one timed operation is divided, in order of time: name, and the text under the phase's chart. */
const steps: readonly (readonly [name: string, caption: string])[] = [
  ['post', 'entries are written'],
  ['launch', 'the host starts the kernel, until it runs'],
  ['compute', 'the kernel makes the data'],
  ['handover', 'from the word of the kernel until the host or the proxy has it'],
  ['trigger', 'counters are incremented'],
  ['ring', 'doorbells are rung'],
  ['completion', 'from the last doorbell until the completion is seen'],
  ['stream', 'from the end of a kernel to the begin of the next: the stream rings and waits by itself'],
  ['resume', 'until the kernel, or the next one, knows of it'],
  ['finish', 'until the host knows that the kernel ended'],
];

const counts: readonly (readonly [name: string, title: string, head: string])[] = [
  ['doorbells', 'doorbells', 'doorbells'],
  ['entries', 'queue entries', 'entries'],
  ['launches', 'kernel launches', 'launches'],
  ['wakeups', 'wake-ups of the host or proxy', 'wake-ups'],
  ['completions', 'completions', 'completions'],
];

const parts: FigureData[] = [
  ...steps.map(
    ([name, caption]): FigureData => ({
      ...made,
      name,
      unit: 'ns',
      head: name,
      title: name,
      caption,
      part: 'step',
    }),
  ),
  { ...made, name: 'total', unit: 'ns', head: 'total', title: 'total', part: 'whole' },
  {
    ...made,
    name: 'unattributed',
    unit: 'ns',
    head: 'rest',
    title: 'unattributed',
    caption: 'the total less all steps',
    part: 'rest',
  },
  {
    ...made,
    name: 'clock',
    unit: 'ns',
    head: 'clock',
    title: 'clock uncertainty',
    caption: "by how much the GPU's instants may be shifted against the host's",
    part: 'bound',
  },
  ...counts.map(
    ([name, title, head]): FigureData => ({
      ...made,
      name,
      unit: '1',
      head,
      title,
      part: 'count',
      // The name `launches` is taken: files have a column of that name for every workload.
      ...(name === 'launches' ? { column: 'kernel_launches' } : {}),
    }),
  ),
];

export const controlpathFigures: FigureData[] = [...rates, ...parts];
