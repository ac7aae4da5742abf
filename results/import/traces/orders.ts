import { ImportError, type ImportedOutput, type ImportHints } from '../imported-output.ts';
import type { ImportSource } from '../source.ts';
import { chakraCalls, isChakra } from './chakra.ts';
import { executionCalls, isExecutionTrace } from './execution.ts';
import { jobOfOrderedTrace, type OrderedTrace } from './ordered.ts';
import { isParam, paramCalls } from './param.ts';

/** Formats of traces that have the order and sizes of calls but no times: for each a test that recognises it, and its reader. */
const orders: readonly [
  recognises: (source: ImportSource) => boolean,
  read: (source: ImportSource) => OrderedTrace,
][] = [
  [isExecutionTrace, executionCalls],
  [isChakra, chakraCalls],
  [isParam, paramCalls],
];

/**
 * Parses a trace that has the order of calls but no times, in the first format that recognises it; null if none does.
 * @throws ImportError if the trace cannot be used
 */
export const readOrderedTrace = (source: ImportSource): OrderedTrace | null =>
  orders.find(([recognises]) => recognises(source))?.[1](source) ?? null;

/**
 * Imports a trace without times: the result has a job for replay, and no measured rows. If neither trace nor user states the number
 * of ranks, the run gets 2, with a notice, and the job none.
 * @throws ImportError if the content is no such trace, or has no call that a job can contain
 */
export function readOrdered(source: ImportSource, hints: ImportHints): ImportedOutput {
  const trace = readOrderedTrace(source);
  if (trace === null) throw new ImportError('it is no trace of the order of calls');
  const ranks = trace.ranks ?? hints.ranks;
  const { says, ...job } = jobOfOrderedTrace({ ...trace, ranks });
  return {
    ...{
      series: 'trace',
      program: trace.what,
      engine: 'nccl',
      ranks: ranks ?? 2,
      hosts: [],
      measuredAt: null,
    },
    statistic: 'order of calls, without times',
    method: { clock: 'none', sync: 'none', batch: 1 },
    ...{ versions: {}, environment: {}, rows: [], saysWrong: false },
    complete: source.isWhole && source.strayLines === 0,
    conversions: ['message size: elements x bytes of the type; of gathers and scatters all parts together'],
    unknown: [
      ...(ranks === null ? ['number of ranks'] : []),
      'times',
      'reduction',
      'root',
      'in place or not',
      'transport',
    ],
    says,
    notices:
      ranks === null
        ? ['the trace does not say how many ranks there were: 2 stand for any number (--ranks N states it)']
        : [],
    job,
  };
}
