import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedText, nothingFixed, parseSeriesName, type SeriesName, seriesNameText } from './series-name.ts';

const path = 'plugin:/opt/a@1/libnccl-net-x.so';
const named = (transport: string, fixed: Partial<SeriesName> = {}): SeriesName => ({
  transport,
  ...nothingFixed,
  ...fixed,
});

/** Every form of a name, with its text. */
const names: Record<string, SeriesName> = {
  socket: named('socket'),
  [path]: named(path),
  'socket@tree': named('socket', { choice: ['tree'] }),
  'socket@halving-doubling/ll': named('socket', { choice: ['halving-doubling', 'll'] }),
  'shm@ring/simple/4ch': named('shm', { choice: ['ring', 'simple', '4ch'] }),
  'socket@compute': named('socket', { load: 'compute' }),
  'socket@ring/LL+copy:12': named('socket', { choice: ['ring', 'LL'], load: 'copy:12' }),
  [`${path}@ring/LL+compute:2`]: named(path, { choice: ['ring', 'LL'], load: 'compute:2' }),
  'socket@250us': named('socket', { skew: '250us' }),
  [`${path}@ring/LL+1ms:all+copy:2`]: named(path, {
    choice: ['ring', 'LL'],
    skew: '1ms:all',
    load: 'copy:2',
  }),
  'p2p@packet-tuned,signal-fused': named('p2p', { settings: { packet: 'tuned', signal: 'fused' } }),
  'p2p@staged/blocks-16,packet-64K+copy': named('p2p', {
    choice: ['staged'],
    settings: { blocks: '16', packet: '64K' },
    load: 'copy',
  }),
};

test('the text of a name gives the name back, whatever the run fixed', () => {
  for (const [text, name] of Object.entries(names)) {
    assert.deepEqual(parseSeriesName(text), name);
    assert.equal(seriesNameText(name), text);
  }
});

test('what is fixed is a text without the transport', () => {
  assert.equal(fixedText(named(path, { choice: ['ring', 'LL'], load: 'compute:2' })), 'ring/LL+compute:2');
  assert.equal(fixedText(nothingFixed), '');
});
