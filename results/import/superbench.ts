import { isFields, type RecordFields } from '../collections.ts';
import type { CollectiveName } from '../schema/index.ts';
import { joinPresent } from '../text.ts';
import { contradiction, requireFittingHints } from './from-nccl-tests.ts';
import {
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  notPrinted,
  plainRow,
  ranksOf,
  shortenText,
  timeUnless,
} from './imported-output.ts';
import { printedNumber, wholeNumberOf } from './printed-number.ts';
import { type ImportSource, wordOf } from './source.ts';

const collectives: Record<string, CollectiveName> = {
  allreduce: 'allreduce',
  allgather: 'allgather',
  reducescatter: 'reducescatter',
  broadcast: 'broadcast',
  reduce: 'reduce',
  alltoall: 'alltoall',
};

/** Matches metric names: nccl-bw[:annotation]/[run/]operation[_serial_parallel]_size_metric[:rank]. */
const metric =
  /^((nccl|rccl)-bw(?::([^/]+))?)\/(?:(\d+)\/)?([a-z]+)(?:_(\d+)_(\d+))?[_:](\d+)_(time|algbw|busbw)(?::(\d+))?$/;

/** Matches the metric with a benchmark's return code; its value 0 means success. */
const status = /^(?:nccl|rccl)-bw(?::[^/]+)?\/(?:\d+\/)?return_code(?::\d+)?$/;

/** True for a line of the summary file: an object with one node's metrics, named benchmark/metric. */
const isNode = (value: unknown): value is RecordFields =>
  isFields(value) &&
  typeof value.node === 'string' &&
  Object.entries(value).some(([key, one]) => key.includes('/') && (typeof one === 'number' || one === null));

export const isSuperbench = ({ records }: ImportSource): boolean => isNode(records[0]);

interface SuperbenchMetric {
  node: string;
  engine: 'nccl' | 'rccl';
  annotation: string;
  variant: string;
  collective: CollectiveName;
  bytes: number;
  words: Partial<Record<'time' | 'algbw' | 'busbw', string>>;
}

/**
 * Reads the metrics of nccl-bw and rccl-bw in results-summary.jsonl of SuperBench.
 * @throws ImportError if the file has none of these metrics or those of both programs, if the user did not give the number of
 * ranks, or if that number contradicts the printed bandwidths
 */
export function readSuperbench(
  { records, isWhole, strayLines }: ImportSource,
  hints: ImportHints,
): ImportedOutput {
  const notices = strayLines > 0 ? [`${strayLines} lines are no whole JSON and were left out`] : [];
  const nodes = records.filter(isNode);
  if (nodes.length < records.length)
    notices.push(`${records.length - nodes.length} records are no nodes of SuperBench and were left out`);
  const { places, others, failed } = placesIn(nodes);
  if (places.size === 0) {
    throw new ImportError('the file is of SuperBench and has no metrics of nccl-bw or rccl-bw', [
      `  looked for nccl-bw/allreduce_8388608_time; found ${others} other metrics`,
    ]);
  }
  notices.push(...failed);
  if (others > 0) notices.push(`${others} metrics of other benchmarks are left out`);
  const ranks = ranksOf('SuperBench', null, hints);
  const all = [...places.values()];
  const [first] = all as [SuperbenchMetric];
  if (all.some(({ engine }) => engine !== first.engine)) {
    throw new ImportError('the file has metrics of nccl-bw and of rccl-bw: one of them per file');
  }
  const names = new Set(all.map(({ node }) => node));
  const annotations = new Set(all.map(({ annotation }) => annotation));
  const rows = all.map((place) => rowOf(place, ranks, names.size > 1, annotations.size > 1));
  requireFittingHints(rows, { ...hints, ranks });
  return {
    ...notPrinted,
    series: 'superbench',
    program: `SuperBench ${first.engine}-bw`,
    engine: first.engine,
    ranks,
    statistic: 'mean over iterations and ranks of nccl-tests; of several runs what its reduce says',
    method: { clock: 'host clock of each process', sync: 'none', batch: 0 },
    rows,
    complete: isWhole && strayLines === 0 && failed.length === 0,
    conversions: [
      'time: microseconds x 1000 = nanoseconds',
      'bandwidths: computed from size and time, and compared with those printed',
    ],
    unknown: [
      'data type',
      'reduction',
      'root',
      'in place or not',
      'transport',
      'algorithm',
      'hosts',
      'versions',
    ],
    notices,
  };
}

function placesIn(nodes: readonly RecordFields[]): {
  places: Map<string, SuperbenchMetric>;
  others: number;
  failed: string[];
} {
  const places = new Map<string, SuperbenchMetric>();
  const failed: string[] = [];
  let others = 0;
  for (const fields of nodes) {
    const node = shortenText(String(fields.node), 60);
    for (const [key, value] of Object.entries(fields)) {
      if (status.test(key.slice(0, 300))) {
        if (value !== 0)
          failed.push(
            `${shortenText(key)} of ${node} is ${shortenText(String(value), 40)}: it did not end well`,
          );
        continue;
      }
      const found = metric.exec(key.slice(0, 300));
      const collective = collectives[found?.[5] ?? ''];
      const bytes = wholeNumberOf(found?.[8]);
      const word = wordOf(value);
      if (found === null || collective === undefined || bytes === null || word === undefined) {
        others += key === 'node' ? 0 : 1;
        continue;
      }
      const [, , engine, annotation, run, , serial, parallel, , what, rank] = found;
      const variant = joinPresent(
        [
          run === undefined ? '' : `run ${run}`,
          serial === undefined ? '' : `pattern ${serial}-${parallel}`,
          rank === undefined ? '' : `rank ${rank}`,
        ],
        ' ',
      );
      const id = [node, annotation, variant, collective, bytes].join('\n');
      const place = places.get(id) ?? {
        node,
        engine: engine as 'nccl' | 'rccl',
        annotation: annotation ?? '',
        variant,
        collective,
        bytes,
        words: {},
      };
      place.words[what as 'time'] = word;
      places.set(id, place);
    }
  }
  return { places, others, failed };
}

function rowOf(
  place: SuperbenchMetric,
  ranks: number,
  hasNodes: boolean,
  hasAnnotations: boolean,
): ImportedRow {
  const { node, annotation, variant, collective, bytes, words } = place;
  const reason =
    words.time === undefined
      ? 'no time is printed of it, and a bandwidth alone is not enough at small sizes'
      : contradiction(
          bytes,
          { time: words.time, algbw: words.algbw, busbw: words.busbw },
          { collective, ranks },
          null,
        );
  return {
    ...plainRow,
    operation: collective,
    variant: joinPresent([hasNodes ? node : '', hasAnnotations ? annotation : '', variant], ' '),
    dtype: 'unknown',
    payloadBytes: bytes,
    count: bytes,
    trial: 'pipelined',
    ...timeUnless(reason, (printedNumber(words.time)?.value ?? 0) * 1000),
    printed: { size: String(bytes), ...words },
  };
}
