import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreementOf } from '../../results/derive/index.ts';
import type { CollectiveName, CrosscheckCollective, CrosscheckRecord } from '../../results/schema/index.ts';
import { crosscheckScreen } from './crosscheck.ts';

const record: CrosscheckRecord = {
  schemaVersion: 1,
  kind: 'crosscheck',
  id: 'abc123',
  startedAt: '',
  endedAt: null,
  state: 'complete',
  exitCode: 0,
  verdict: 'agree',
  collbench: '1.2.3',
  options: {
    collectives: [],
    ncclTests: '',
    min: 8,
    max: 64,
    factor: 8,
    rounds: 1,
    gpus: null,
    nccl: null,
    mpirun: null,
    dtype: 'float32',
    op: 'sum',
    timeoutS: 1,
    out: null,
    json: true,
  },
  gpus: [0, 1],
  medium: 'emulated',
  library: { path: '', version: '2.28.9' },
  environment: {},
  collectives: [],
  failures: [],
};

const collective = (name: CollectiveName): CrosscheckCollective => ({
  collective: name,
  dtype: 'float32',
  op: null,
  root: null,
  ranks: 2,
  processes: 1,
  commandLine: [],
  version: null,
  ncclVersion: null,
  devices: [],
  sizes: [8, 64].map((bytes) => ({
    ...agreementOf(bytes, [{ oursNs: 1, theirsNs: 1 }]),
    isolatedNs: null,
    enqueueNs: null,
    figures: [],
  })),
  skipped: [],
  wrongElements: 0,
  summary: null,
});

test('--json: one object per size, then one per collective, then a summary', () => {
  let text = '';
  const write = (part: string) => {
    text += part;
    return true;
  };
  const screen = crosscheckScreen(true, { write, isTTY: false });
  for (const name of ['allreduce', 'broadcast'] as const) screen.collective(collective(name), record);
  screen.end(record, 'folder');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; exitCode?: number; dir?: string });
  assert.deepEqual(
    lines.map(({ type }) => type),
    ['size', 'size', 'collective', 'size', 'size', 'collective', 'summary'],
  );
  assert.equal(lines.at(-1)?.exitCode, 0);
  assert.equal(lines.at(-1)?.dir, 'folder');
});
