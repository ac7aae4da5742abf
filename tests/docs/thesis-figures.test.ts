// Checks that each figure of docs/guide/figures.md meets the checklist for print, one column wide and two columns wide.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { measureOf } from '../../reports/figures/pdf.ts';
import { themeOf } from '../../reports/figures/theme.ts';
import { root } from '../e2e/harness.ts';
import { checklist, fontsOf, inches, pageOf } from '../print/checklist.ts';
import { readSvg } from '../print/drawing.ts';

const folder = path.join(root, 'docs/thesis-figures');
const text = (set: string, name: string): string => readFileSync(path.join(folder, set, name), 'utf8');
const sets = readdirSync(folder).filter((name) => statSync(path.join(folder, name)).isDirectory());

/** Captions of `captions.md`, by the number of their figure. */
const captionsOf = (set: string): Map<string, string> =>
  new Map(
    [...text(set, 'captions.md').matchAll(/^\*\*Figure ([\d.]+)\. .*?\*\* (.*)$/gm)].map(
      ([, number = '', caption = '']) => [number, caption],
    ),
  );

const figures = sets.flatMap((set) =>
  [...captionsOf(set)].flatMap(([number, caption]) => {
    const file = `fig-${number.replace('.', '-')}`;
    return existsSync(path.join(folder, set, `${file}-one.svg`)) ? [{ set, number, caption, file }] : [];
  }),
);

test('the sets are of GPUs and of the links of the thesis, and hold its figures', () => {
  assert.deepEqual(sets, ['emulated-links', 'nccl-2-h100', 'nccl-2-h200']);
  const numbers = (of: string) => figures.flatMap(({ set, number }) => (set === of ? [number] : []));
  assert.deepEqual(numbers('emulated-links'), ['5.2', '5.3', '5.4', '5.5', '5.6', '6.1', '6.2']);
  assert.deepEqual(numbers('nccl-2-h100'), ['5.5', '5.6', '6.1', '6.2']);
  assert.deepEqual(numbers('nccl-2-h200'), ['5.2', '5.3', '5.4']);
});

const measure = measureOf(themeOf('thesis').face);
for (const [point, check] of Object.entries(checklist))
  test(`of every figure: ${point}`, () => {
    for (const { set, caption, file } of figures) {
      const [svg, pdf] = [
        text(set, `${file}-one.svg`),
        readFileSync(path.join(folder, set, `${file}-one.pdf`)),
      ];
      check({ name: `${set}/${file}`, columns: 'one', svg, pdf, caption, measure }, readSvg(svg, measure));
    }
  });

test('over two columns some are kept as PDF: as wide, fonts embedded', () => {
  const two = figures.map(({ set, file }) => path.join(folder, set, `${file}-two.pdf`)).filter(existsSync);
  assert.ok(two.length >= 3);
  for (const file of two) {
    const pdf = readFileSync(file);
    const { fonts, embedded } = fontsOf(pdf);
    assert.ok(fonts > 0 && fonts === embedded, file);
    assert.ok(Math.abs(pageOf(pdf).width / 72 - inches.two) < 0.001, file);
  }
});

test('the page shows each figure and says by what commands the sets were made', () => {
  const page = readFileSync(path.join(root, 'docs/guide/figures.md'), 'utf8');
  for (const { set, file } of figures)
    assert.ok(page.includes(`thesis-figures/${set}/${file}-`), `${set} ${file}`);
  assert.match(page, /--figures thesis/);
});

test('together they stay small', () => {
  const bytes = readdirSync(folder, { recursive: true })
    .map((name) => statSync(path.join(folder, String(name))))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
  assert.ok(bytes < 1_000_000, `${bytes} bytes`);
});
