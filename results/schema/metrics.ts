import { z } from 'zod';

/**
 * What the machine of one agent did meanwhile: `metrics/<host>.ndjson`. First line a `metricsHeader`, then one
 * `metricsTick` per reading, in order of time, with `sourceFailed` between them; `sampled` ends it. A file without it is
 * of an agent that was lost.
 */
const metricsChannel = z.strictObject({
  /** `object.quantity`: cpu0.user, net.eth0.rxBytes, gpu0.powerMilliwatt. */
  name: z.string(),
  unit: z.string(),
  /** Counts up: only differences mean something. Else the value of the moment. */
  cumulative: z.boolean(),
});
export type MetricsChannel = z.infer<typeof metricsChannel>;

const failedSource = z.strictObject({ source: z.string(), reason: z.string() });

export const metricsHeader = z.strictObject({
  kind: z.literal('metrics'),
  schema: z.literal(1),
  host: z.string(),
  /** Which going on of the run it belongs to, from 1; absent = the first start. */
  attempt: z.int().min(1).optional(),
  intervalUs: z.int().positive(),
  channels: z.array(metricsChannel),
  /** Sources that this machine has not, or does not let us read; with the reason. */
  failed: z.array(failedSource),
  /**
   * What is added to its times to get those of the first host, ns, and by how much that may be wrong. 0 for the first
   * host; null where it is measured later, with each block (CellRecord.clocks).
   */
  clockOffsetNs: z.int().nullable(),
  clockUncertaintyNs: z.int().nullable(),
});
export type MetricsHeader = z.infer<typeof metricsHeader>;

export const metricsTick = z.strictObject({
  /** CLOCK_MONOTONIC of that machine before the first value was read, and how long reading took. */
  startNs: z.int(),
  costNs: z.int(),
  /** One per channel; null where it could not be read. */
  values: z.array(z.number().nullable()),
});
export type MetricsTick = z.infer<typeof metricsTick>;

/**
 * Whether `metricsTick` takes it as it is. A reading has hundreds of values, and a run thousands of readings: the schema would
 * copy each. What this refuses the schema has to judge, and say why.
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

/** What sampling itself cost. */
export const samplerCost = z.strictObject({
  ticks: z.int(),
  missedTicks: z.int(),
  cpuNs: z.int(),
  residentBytes: z.int(),
  /** How much later than due the readings began. */
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
