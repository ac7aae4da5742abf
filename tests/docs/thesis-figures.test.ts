// The figures that docs/thesis-figures.md shows are for print: each passes the list, over one column and over two.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { measureOf } from '../../reports/figures/pdf.ts';
import { columnNames, themeOf } from '../../reports/figures/theme.ts';
import { root } from '../e2e/harness.ts';
import { checklist } from '../print/checklist.ts';
import { readSvg } from '../print/drawing.ts';

const folder = path.join(root, 'docs/thesis-figures');
const text = (set: string, name: string): string => readFileSync(path.join(folder, set, name), 'utf8');
const sets = readdirSync(folder).filter((name) => statSync(path.join(folder, name)).isDirectory());

/** By number, as `captions.md` has them. */
const captionsOf = (set: string): Map<string, string> =>
  new Map(
    [...text(set, 'captions.md').matchAll(/^\*\*Figure ([\d.]+)\. .*?\*\* (.*)$/gm)].map(
      ([, number = '', caption = '']) => [number, caption],
    ),
  );

const figures = sets.flatMap((set) =>
  [...captionsOf(set)].flatMap(([number, caption]) =>
    columnNames.map((columns) => ({ set, number, caption, columns })),
  ),
);

test('the sets are of GPUs and of the links of the thesis, and hold its figures', () => {
  assert.deepEqual(sets, ['emulated-links', 'nccl-2-h200']);
  assert.deepEqual(
    [...captionsOf('emulated-links').keys()],
    ['5.2', '5.3', '5.4', '5.5', '5.6', '6.1', '6.2'],
  );
  assert.deepEqual([...captionsOf('nccl-2-h200').keys()], ['5.2', '5.3', '5.4', '5.5', '5.6']);
});

const measure = measureOf(themeOf('thesis').face);
for (const [point, check] of Object.entries(checklist))
  test(`of every figure: ${point}`, () => {
    for (const { set, number, caption, columns } of figures) {
      const name = `fig-${number.replace('.', '-')}-${columns}`;
      const [svg, pdf] = [text(set, `${name}.svg`), readFileSync(path.join(folder, set, `${name}.pdf`))];
      check({ name: `${set}/${name}`, columns, svg, pdf, caption, measure }, readSvg(svg, measure));
    }
  });

test('the page shows each figure and says by what commands the sets were made', () => {
  const page = readFileSync(path.join(root, 'docs/thesis-figures.md'), 'utf8');
  for (const { set, number } of figures)
    assert.ok(page.includes(`thesis-figures/${set}/fig-${number.replace('.', '-')}`), `${set} ${number}`);
  assert.match(page, /--figures thesis/);
});

test('together they stay small', () => {
  const bytes = readdirSync(folder, { recursive: true })
    .map((name) => statSync(path.join(folder, String(name))))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
  assert.ok(bytes < 1_100_000, `${bytes} bytes`);
});
