import { z } from 'zod';

/**
 * One quantity of a host that the agent reads again and again, such as the bytes received by an interface. Each reading has one
 * value of it, in `unit`.
 */
const metricsChannel = z.strictObject({
  /** Name of a device or process, then of the quantity: "cpu0.user", "net.eth0.rxBytes", "gpu0.powerMilliwatt". */
  name: z.string(),
  unit: z.string(),
  /**
   * True if the value is a counter that only grows, so that only differences between readings have a meaning; false if it is a
   * momentary value.
   */
  cumulative: z.boolean(),
});
export type MetricsChannel = z.infer<typeof metricsChannel>;

const failedSource = z.strictObject({ source: z.string(), reason: z.string() });

/**
 * First line of `metrics/<host>.ndjson`, the file with the metrics of one host; a resumption or repetition writes its own file,
 * `metrics/<host>.<attempt>.ndjson`. One `metricsTick` per reading follows, in order of time, with `sourceFailed` lines between
 * them. The last line is `sampled`; without it the connection to the agent was lost. `intervalUs`: planned time between readings.
 */
export const metricsHeader = z.strictObject({
  kind: z.literal('metrics'),
  schema: z.literal(1),
  host: z.string(),
  /**
   * Number of the resumption or repetition of the run in which the following readings were taken, counted from 1; absent = the
   * first start.
   */
  attempt: z.int().min(1).optional(),
  intervalUs: z.int().positive(),
  channels: z.array(metricsChannel),
  /**
   * Sources of values, such as NVML, that the host does not have or that the agent may not read, with the reason as text; empty =
   * all could be read.
   */
  failed: z.array(failedSource),
  /**
   * Nanoseconds to add to the times of this file to convert them to the clock of rank 0's host. `clockUncertaintyNs` is the largest
   * error of this offset. Both are 0 for that host itself. Both are null if offsets are measured with each block instead
   * (CellRecord.clocks).
   */
  clockOffsetNs: z.int().nullable(),
  clockUncertaintyNs: z.int().nullable(),
});
export type MetricsHeader = z.infer<typeof metricsHeader>;

export const metricsTick = z.strictObject({
  /**
   * Start of the reading: CLOCK_MONOTONIC of the host in ns, just before the first value was read. `costNs`: duration of the
   * reading, ns.
   */
  startNs: z.int(),
  costNs: z.int(),
  /**
   * One value per channel, in the order of `channels` in the header; null if the value was not read: sources that are slow to read
   * are left out of some readings, and a source may fail.
   */
  values: z.array(z.number().nullable()),
});
export type MetricsTick = z.infer<typeof metricsTick>;

/**
 * True if the schema `metricsTick` accepts the value unchanged. The schema would copy each of the many values, which is slow.
 * After false, the caller should let the schema check the value, because only the schema gives the reason. No error is thrown.
 */
export function isTick(raw: unknown): raw is MetricsTick {
  if (typeof raw !== 'object' || raw === null || Object.keys(raw).length !== 3) return false;
  const { startNs, costNs, values } = raw as Partial<MetricsTick>;
  return (
    Number.isSafeInteger(startNs) &&
    Number.isSafeInteger(costNs) &&
    Array.isArray(values) &&
    values.every((value) => value === null || Number.isFinite(value))
  );
}

/**
 * Cost of reading the metrics on one host, from the start of reading to its end: number of readings (`ticks`), readings that were
 * missed (`missedTicks`), CPU time of reading in ns, and memory of the agent's process in bytes.
 */
export const samplerCost = z.strictObject({
  ticks: z.int(),
  missedTicks: z.int(),
  cpuNs: z.int(),
  residentBytes: z.int(),
  /** Delay of the readings after their planned times, ns, over all readings. */
  jitterNs: z.strictObject({ median: z.number(), p99: z.number(), max: z.number() }),
});
export type SamplerCost = z.infer<typeof samplerCost>;

export const metricsLine = z.union([
  metricsTick,
  z.discriminatedUnion('kind', [
    metricsHeader,
    failedSource.extend({ kind: z.literal('sourceFailed') }),
    samplerCost.extend({ kind: z.literal('sampled') }),
  ]),
]);
export type MetricsLine = z.infer<typeof metricsLine>;
