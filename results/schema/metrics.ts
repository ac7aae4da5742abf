import { z } from 'zod';

/**
 * System metrics of one agent's machine during a run: `metrics/<host>.ndjson`. The first line is a `metricsHeader`. One
 * `metricsTick` per reading follows, in order of time, with `sourceFailed` lines between them. The last line is `sampled`; a file
 * without it means that the agent was lost.
 */
const metricsChannel = z.strictObject({
  /** Name as `object.quantity`: cpu0.user, net.eth0.rxBytes, gpu0.powerMilliwatt. */
  name: z.string(),
  unit: z.string(),
  /** True for a counter, of which only differences are meaningful; false for a momentary value. */
  cumulative: z.boolean(),
});
export type MetricsChannel = z.infer<typeof metricsChannel>;

const failedSource = z.strictObject({ source: z.string(), reason: z.string() });

export const metricsHeader = z.strictObject({
  kind: z.literal('metrics'),
  schema: z.literal(1),
  host: z.string(),
  /** Number of the resumption or retry, counted from 1; absent = the first start of the run. */
  attempt: z.int().min(1).optional(),
  intervalUs: z.int().positive(),
  channels: z.array(metricsChannel),
  /** Sources that this machine lacks or does not allow to read, with the reason. */
  failed: z.array(failedSource),
  /**
   * Nanoseconds to add to the times of this file to get the clock of the first host. `clockUncertaintyNs` is the largest error.
   * Both are 0 for the first host. Both are null if the offset is measured later, with each block (CellRecord.clocks).
   */
  clockOffsetNs: z.int().nullable(),
  clockUncertaintyNs: z.int().nullable(),
});
export type MetricsHeader = z.infer<typeof metricsHeader>;

export const metricsTick = z.strictObject({
  /** CLOCK_MONOTONIC of that machine before the first value was read. `costNs` is the duration of the reading. */
  startNs: z.int(),
  costNs: z.int(),
  /** One value per channel; null if it could not be read. */
  values: z.array(z.number().nullable()),
});
export type MetricsTick = z.infer<typeof metricsTick>;

/**
 * True if `metricsTick` accepts the value unchanged. A run has thousands of readings with hundreds of values, and the schema
 * would copy each one. A line that this function rejects must be checked by the schema, which gives the reason.
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

/** Cost of the sampling itself. */
export const samplerCost = z.strictObject({
  ticks: z.int(),
  missedTicks: z.int(),
  cpuNs: z.int(),
  residentBytes: z.int(),
  /** Delay of the readings after their due time, ns. */
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
