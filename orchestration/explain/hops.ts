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

/** Bytes of a message size that `collbench pairs` splits evenly between two ranks, in whole elements. */
const pairBytes = (bytes: number): number => 8 * Math.ceil(bytes / 4);

/**
 * Measures all pairs of the hosts with one rank on each, with a small message and with the bytes that each host must send.
 * @param limitS seconds that the measurement may take by its own estimate
 * @returns what was found, or the reason why nothing was measured
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
