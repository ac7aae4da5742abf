import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineNames } from '../../results/schema/index.ts';
import { planningEngines } from '../engines/index.ts';
import { optionName } from '../options/option.ts';
import { hostOptions } from './variants.ts';

test('the bound is measured with the engine, library and devices of the explained command', () => {
  const known = hostOptions.map(optionName);
  const settings = { mpi: 'a', nccl: 'b', nvshmem: 'c', gpus: '0', shareGpu: '1' };
  for (const name of engineNames) {
    const { causes = [], optionsOf } = planningEngines[name];
    if (causes.length === 0 || planningEngines[name].abilities.collectives === undefined) continue;
    const words = optionsOf(settings).flatMap((word) => /^--([\w-]+)/.exec(word)?.[1] ?? []);
    assert.deepEqual(
      words.filter((word) => !known.includes(word)),
      [],
      name,
    );
  }
});
