import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SuiteFinding } from '../../results/schema/index.ts';
import { endedSuite } from '../fixtures/suite.ts';
import { suiteFoot } from './suite.ts';

const names = ['', ' batch 4'].map((end) => `control path triggered by block puts 32${end}`);
const found: SuiteFinding = {
  verdict: 'works',
  cells: { expected: 2, measured: 2 },
  checks: 12,
  wrongElements: 0,
  transports: [{ name: 'ibgda', medium: 'emulated', verdict: 'confirmed' }],
  series: names.map((title) => ({
    ...{ title, ranks: 2, group: null, transport: 'ibgda', medium: 'emulated', small: null, large: null },
  })),
  problems: [],
};
const linesAt = (width: number): string[] =>
  suiteFoot({ ...endedSuite, found }, 'report.html', width).split('\n');

test('series are told apart at every width: names stand beside their figures, or over them where they are too long', () => {
  for (const name of names) {
    const narrow = linesAt(60);
    assert.match(narrow[narrow.indexOf(name) + 1] ?? '', /^ {2}ibgda \(emulated\)/);
    assert.ok(linesAt(140).some((line) => line.startsWith(`${name}  `) && line.includes('ibgda (emulated)')));
  }
});
