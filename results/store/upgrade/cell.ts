import { z } from 'zod';
import { requestedOf } from '../../derive/cell.ts';
import { flagLevelOf } from '../../schema/flags.ts';
import type { RunPlan } from '../../schema/plan.ts';
import { type Derived, dataOf, idOf } from '../../schema/workloads/index.ts';
import { pointOf, pointV1 } from './plan.ts';

const methodV1 = z.looseObject({ sync: z.string() });
const trialV1 = z.looseObject({
  trial: z.string(),
  medianNs: z.number(),
  interval: z.looseObject({ lowNs: z.number(), highNs: z.number() }).nullable(),
  minNs: z.number().nullable(),
  maxNs: z.number().nullable(),
  p5Ns: z.number().nullable(),
  p95Ns: z.number().nullable(),
  p99Ns: z.number().nullable(),
  launchMediansNs: z.array(z.number()),
  algGBps: z.number(),
  busGBps: z.number(),
  method: methodV1,
});
const identityV1 = pointV1.extend({
  id: z.string(),
  status: z.string(),
  ranks: z.number(),
  nodes: z.number(),
  engine: z.string(),
  transport: z.string(),
  medium: z.string(),
  group: z.looseObject({ rule: z.string(), index: z.number() }).optional(),
  printed: z.unknown().optional(),
});
const okV1 = identityV1.extend({
  status: z.literal('ok'),
  algorithm: z.string(),
  protocol: z.string().nullable(),
  busFactor: z.number(),
  isolated: trialV1.nullable(),
  pipelined: trialV1.nullable(),
  launchCostNs: z.looseObject({ medianNs: z.number(), launchMediansNs: z.array(z.number()) }).optional(),
  verification: z.looseObject({}),
  load: z.looseObject({ reasons: z.array(z.looseObject({ flag: z.string(), text: z.string() })) }).optional(),
  flags: z.array(z.string()),
});

function figureOf(name: string, trial: z.infer<typeof trialV1>) {
  const { medianNs, interval, minNs, maxNs, p5Ns, p95Ns, p99Ns, launchMediansNs, method, ...rest } = trial;
  const { trial: _trial, algGBps: _alg, busGBps: _bus, ...kept } = rest;
  const { lowNs, highNs, ...how } = interval ?? { lowNs: 0, highNs: 0 };
  return {
    kind: 'measured',
    name,
    unit: 'ns',
    value: medianNs,
    interval: interval === null ? null : { low: lowNs, high: highNs, ...how },
    min: minNs,
    max: maxNs,
    p5: p5Ns,
    p95: p95Ns,
    p99: p99Ns,
    launchValues: launchMediansNs,
    method: { ...method, sync: method.sync === 'gate' ? 'hold' : method.sync },
    ...kept,
  };
}

/** Bandwidths as they were stored: an old row keeps its figures to the last digit. */
function derivedOf(from: string, trial: z.infer<typeof trialV1>, factor: number) {
  const made: Derived[] = [
    { name: 'algbw', value: trial.algGBps },
    { name: 'busbw', value: trial.busGBps, factor },
  ];
  return made.map((one) => ({ kind: 'derived', unit: 'GB/s', from, ...one }));
}

function figuresOf({ isolated, pipelined, launchCostNs, busFactor }: z.infer<typeof okV1>): unknown[] {
  const named = [
    { name: 'latency', trial: isolated },
    { name: 'pipelined', trial: pipelined },
  ].flatMap(({ name, trial }) => (trial === null ? [] : [{ name, trial }]));
  const enqueue =
    launchCostNs === undefined
      ? []
      : [
          {
            kind: 'side',
            name: 'enqueue',
            unit: 'ns',
            value: launchCostNs.medianNs,
            launchValues: launchCostNs.launchMediansNs,
          },
        ];
  return [
    ...named.map(({ name, trial }) => figureOf(name, trial)),
    ...enqueue,
    ...named.flatMap(({ name, trial }) => derivedOf(name, trial, busFactor)),
  ];
}

/** What its run asks for, of the whole plan and of the series: ids of version 1 had a part of it. */
function requestedIn(transport: string, plan: RunPlan | undefined): Record<string, string> {
  const over = plan?.transports.find(({ name }) => name === transport);
  return plan === undefined || over === undefined ? {} : requestedOf(plan, over);
}

/**
 * A line of cells.ndjson of version 1.
 * @param plan of its run, as the present version has it
 */
export function upgradeCell(raw: unknown, plan: RunPlan | undefined): unknown {
  const measured = okV1.safeParse(raw);
  const found = measured.success ? measured : identityV1.safeParse(raw);
  if (!found.success) return raw;
  const old: z.infer<typeof identityV1> = found.data;
  const isImported = old.printed !== undefined;
  const point = pointOf(old, isImported);
  const { collective: _c, dtype: _d, op: _o, root: _r, inPlace: _i, ...others } = old;
  const { requestedBytes: _q, payloadBytes: _p, ...kept } = others;
  const identity = {
    ...kept,
    ...point,
    schemaVersion: 3,
    requested: requestedIn(old.transport, plan),
    medium: isImported ? 'unknown' : old.medium,
  };
  const named = { ...identity, id: idOf(dataOf(point.workload), identity) };
  return measured.success ? withoutUndefined({ ...named, ...measuredPart(measured.data) }) : named;
}

/** Fields that the present version no longer has. */
const withoutUndefined = (raw: object): object =>
  Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== undefined));

function measuredPart(old: z.infer<typeof okV1>): Record<string, unknown> {
  const { algorithm, protocol, verification, flags, load } = old;
  const dropped = { algorithm: undefined, protocol: undefined, busFactor: undefined };
  const gone = { ...dropped, isolated: undefined, pipelined: undefined, launchCostNs: undefined };
  const reasonOf = (name: string): string | null =>
    load?.reasons.find(({ flag }) => flag === name)?.text ?? null;
  return {
    ...gone,
    choice: { algorithm, protocol },
    figures: figuresOf(old),
    verification: { share: null, ...verification },
    flags: flags.map((name) => ({ name, level: flagLevelOf(name), reason: reasonOf(name) })),
  };
}
