import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplainedOperation, Variant } from '../../suites/explain/variants.ts';
import { divideTimes } from './explained-times.ts';
import type { VariantLaunch } from './rounds.ts';

const base: Variant = {
  ...{ cause: 'base', title: 'as measured', command: 'allreduce', options: {}, unset: [] },
  ...{ payloadBytes: 65_536, times: 1 },
};
const loss: Variant = { ...base, cause: 'loss', title: 'no lost TCP segments', filter: 'without-timeouts' };

const launch = (backToBackNs: number, all?: number): VariantLaunch => ({
  ...{ ns: 15_000, backToBackNs, p95Ns: null, samples: 100, sampleNs: 20_000, algorithm: 'ring' },
  ...{ flags: [], cpus: '', position: 0, competingCores: null, throttledShare: null },
  retransmitsPerOperation: null,
  unselected: all === undefined ? null : { ns: 15_100, backToBackNs: all },
});

// Short launches of the command met a timer of TCP in one round of four only; long ones in each.
const short = [16_000, 15_500, 300_000, 15_800].map((ns) => launch(ns));
const long = [150_000, 160_000, 140_000, 155_000].map((all, round) => launch(15_600 + 50 * round, all));
const sampler: Variant = {
  ...base,
  cause: 'sampler',
  title: 'no samples',
  options: { sampleInterval: 'off' },
};
const noisy = [15_900, 200_000, 15_600, 16_100].map((ns) => launch(ns));

for (const [name, removed] of [
  ['alone', [loss]],
  ['behind a suspect that costs nothing', [sampler, { ...loss, options: sampler.options }]],
] as const)
  test(`a cause that selects samples is judged in its launches, which contain the rare long operations: ${name}`, () => {
    const launches = new Map<string, VariantLaunch[]>([
      ['sampler', noisy],
      ['loss', long],
    ]);
    const size = divideTimes({ payloadBytes: 65_536 } as ExplainedOperation, ['ns', 'backToBackNs'], {
      ...{ base, removed, work: [], rest: null, excluded: [[], []] },
      measured: [
        { variant: base, launches: short },
        ...removed.map((variant) => ({ variant, launches: launches.get(variant.cause) ?? [] })),
      ],
    });
    const [cause, ...others] = size?.backToBack?.shares ?? [];
    assert.equal(cause?.id, 'loss');
    assert.ok(others.every(({ kind }) => kind !== 'cause'));
    assert.ok(
      Math.abs((size?.backToBack?.time.ns ?? 0) / 151_000 - 1) < 0.01,
      `${size?.backToBack?.time.ns}`,
    );
    assert.ok(cause !== undefined && cause.low < 135_400 && 135_400 < cause.high, JSON.stringify(cause));
  });
