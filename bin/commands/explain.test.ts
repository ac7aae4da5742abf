import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseVariant, wordsOf } from '../../suites/explain/variants.ts';
import { plannings } from '../../suites/workloads/index.ts';
import { readOptions } from '../line/read-options.ts';

test('every measurement of needed work is a command line that collbench takes', () => {
  let lines = 0;
  for (const { commands, neededWork } of plannings)
    for (const { name } of neededWork === undefined ? [] : commands)
      for (const transport of ['socket', 'shm', 'sisci'])
        for (const ranks of [2, 4]) {
          const operation = {
            ...{ command: name, ranks, series: transport, transport, medium: 'hardware' },
            ...{ payloadBytes: 4096, options: { ranks: String(ranks) }, algorithm: 'ring' },
            ...{ competingCores: null, throttledShare: null, retransmitsPerOperation: null, environment: {} },
          };
          const needed = neededWork?.(operation, baseVariant(operation), 'ring');
          for (const { command, options, payloadBytes } of needed?.variants ?? []) {
            readOptions(command, [...wordsOf(options), `--sizes=${payloadBytes}`]);
            lines += 1;
          }
        }
  assert.ok(lines > 100, String(lines));
});
