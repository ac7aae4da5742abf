// Measures each pair of hosts of a run alone, to find one slow hop among several.
import path from 'node:path';
import { pairsOverview } from '../../results/derive/index.ts';
import { fileWords } from '../../results/text.ts';
import { formatDuration } from '../../results/units.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { boundBytes } from '../../suites/explain/collective.ts';
import { type HopFacts, hopFactsOf } from '../../suites/explain/hop-facts.ts';
import {
  type ExplainedOperation,
  hopOptions,
  hostsText,
  only,
  wordsOf,
} from '../../suites/explain/variants.ts';
import { fixedOptions } from '../pairs/options.ts';
import { measurePairs, withPairsPrepared } from '../pairs/run.ts';
import { progressOutput } from '../running/output.ts';
import { reasonOf } from '../suites/entry-plan.ts';
import type { ExplainTools } from './rounds.ts';

/**
 * Returns the bytes of an allgather between two ranks (of the whole result) in which each rank sends at least `bytes`, in whole
 * 4-byte elements.
 */
const pairBytes = (bytes: number): number => 8 * Math.ceil(bytes / 4);

/**
 * Measures each pair of the hosts alone, with one rank on each host: with a small message, and with as many bytes as each host
 * must send in the explained operation. The run is stored in a folder `hops-SERIES` of `root`.
 * @param limitS seconds that the measurement may take; if its estimate is longer, nothing is measured
 * @returns times of the pairs; the reason why there are none, such as a refusal or a failure; 'interrupted' if the user
 * interrupted
 */
export async function measureHops(
  operation: ExplainedOperation,
  limitS: number,
  { readOptions, run, root, note }: ExplainTools,
): Promise<HopFacts | { reason: string } | 'interrupted'> {
  const { hosts = [], options, transport, series } = operation;
  const words = wordsOf({
    ...only(options, hopOptions),
    ...{ transport, hosts: hostsText(hosts.map((host) => ({ ...host, ranks: 1 }))), ranksPerNode: '1' },
  });
  const size = pairBytes(boundBytes(operation));
  const choice = { size, oneAtATime: false, bisect: null };
  try {
    const measured = { ...readOptions('allgather', [...words, `--sizes=${size}`]), ...fixedOptions };
    return await withPairsPrepared(measured, choice, words, async (prepared, nodes) => {
      const { estimateS } = prepared.plan;
      if (estimateS > limitS)
        return {
          reason: `measuring all hops takes about ${formatDuration(estimateS)}; needs a longer --budget`,
        };
      const out = path.join(root, `hops-${fileWords(series)}`);
      const { code, record, cells } = await measurePairs(prepared, choice, nodes, {
        ...{ out, tools: run, report: false },
        outputsFor: () => ({ outputs: [progressOutput({ note, progress: () => undefined })] }),
      });
      if (code === exitCode.interrupted) return 'interrupted';
      const [overview] = pairsOverview(record.plan, cells);
      if (overview?.hasVerdict !== true)
        return {
          reason: record.failures[0]?.message ?? 'no verdict: the hosts are fewer than three machines',
        };
      return hopFactsOf(overview.pairs);
    });
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    return { reason };
  }
}
