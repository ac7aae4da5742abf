import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyFilter, formatAddress, isShown, parseAddress, sizeTexts } from './page-filter.ts';

test('an address keeps the element and the filter', () => {
  for (const hash of [
    '#figure-3&no-transport=socket&no-transport=sisci&no-node=gpu01&from=1024&to=4096',
    '#no-what=allreduce',
    '#all-allgather-float32-out',
    '#%C3%A4',
    '#',
  ])
    assert.equal(formatAddress(parseAddress(hash)), hash);
  assert.deepEqual(parseAddress(''), { id: '', filter: emptyFilter() });
});

test('an address that nobody wrote hides nothing', () => {
  for (const hash of ['#100%', '#from=x', '#no-colour=red', '#&&='])
    assert.deepEqual(parseAddress(hash).filter, emptyFilter(), hash);
  assert.equal(parseAddress('#100%').id, '100%');
});

test('a filter hides by value and by range; what a row does not have hides nothing', () => {
  const { filter } = parseAddress('#no-transport=socket&from=16&to=64');
  const shown = (item: Parameters<typeof isShown>[1]) => isShown(filter, item);
  assert.ok(!shown({ transport: 'socket', x: 32 }));
  assert.deepEqual(
    [8, 16, 64, 65].map((x) => shown({ transport: 'sisci', x })),
    [false, true, true, false],
  );
  assert.ok(shown({ node: 'socket' }));
  assert.ok(shown({ transport: null, x: null }));
});

test('the first visible row of each size shows the size', () => {
  const rows = [
    { x: 8, text: '8 B', isVisible: false },
    { x: 8, text: '8 B', isVisible: true },
    { x: 8, text: '8 B', isVisible: true },
    { x: 16, text: '16 B', isVisible: false },
    { x: 32, text: '32 B', isVisible: true },
  ];
  assert.deepEqual(sizeTexts(rows), ['', '8 B', '', '', '32 B']);
});
