import type { AgentMessage } from '../protocol.ts';
import { Sampler } from './sampler.ts';

type SamplerMessage = Extract<AgentMessage, { type: 'sampling' | 'samples' }>;
type SampledMessage = Extract<AgentMessage, { type: 'sampled' }>;

/** Milliseconds for which readings are collected before one message sends them together. */
const lotMs = 1000;

/**
 * Samples metrics of this machine from the event loop, for ranks that are threads of this process. It sends the same messages as an
 * agent, but without the load of each rank. The first reading is taken at once. The reported cost of a reading is its elapsed time.
 * @param tell receives the messages of the sampler; the first, with the list of channels, before this function returns
 * @returns `stop`: takes and sends a last reading, ends the sampling, and returns its totals
 * @throws {NativeError} `unavailable` without collbench.node, `invalid_argument` for an unknown source
 */
export function openInProcessSampler(
  { intervalUs, sources }: { intervalUs: number; sources: readonly string[] | null },
  tell: (message: SamplerMessage) => void,
): { stop(): SampledMessage } {
  const intervalMs = intervalUs / 1000;
  const sampler = new Sampler({ intervalMs, ...(sources === null ? {} : { sources }) });
  const started = performance.now();
  const late: number[] = [];
  let [ticks, missedTicks, cpuNs, due] = [0, 0, 0, 0];
  let lot = emptyLot();
  tell({ type: 'sampling', intervalUs, channels: [...sampler.channels], failed: [] });

  const give = (): void => {
    if (lot.startNs.length > 0) tell(lot);
    lot = emptyLot();
  };
  const read = (): void => {
    const elapsedMs = performance.now() - started;
    late.push(Math.max(0, Math.round((elapsedMs - due * intervalMs) * 1e6)));
    const { timeNs, costNs, values } = sampler.readRow();
    lot.startNs.push(timeNs);
    lot.costNs.push(costNs);
    lot.values.push(Array.from(values, (value) => (Number.isFinite(value) ? value : null)));
    ticks += 1;
    cpuNs += costNs;
    const next = Math.max(due + 1, Math.ceil(elapsedMs / intervalMs));
    missedTicks += next - due - 1;
    due = next;
    if (lot.startNs.length * intervalMs >= lotMs) give();
    timer = setTimeout(read, started + due * intervalMs - performance.now());
    timer.unref();
  };
  let timer: NodeJS.Timeout | undefined;
  read();
  return {
    stop() {
      clearTimeout(timer);
      read();
      clearTimeout(timer);
      give();
      late.sort((a, b) => a - b);
      const at = (share: number): number => late[Math.ceil(share * late.length) - 1] ?? 0;
      const jitterNs = { median: at(0.5), p99: at(0.99), max: late.at(-1) ?? 0 };
      const residentBytes = process.memoryUsage.rss();
      return { type: 'sampled', ticks, missedTicks, cpuNs, residentBytes, jitterNs };
    },
  };
}

const emptyLot = (): Extract<SamplerMessage, { type: 'samples' }> => ({
  type: 'samples',
  startNs: [],
  costNs: [],
  values: [],
});
