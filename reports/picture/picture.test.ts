import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { chartsOf } from '../charts/index.ts';
import { syntheticRun } from '../fixtures/synthetic.ts';
import { nullRun } from '../fixtures/workloads.ts';
import { groupsOf } from '../series.ts';
import { findFonts } from './fonts.ts';
import { runPicture } from './index.ts';
import { pictureSvg } from './svg.ts';

const skip = findFonts() === null ? 'no sans-serif font: install fonts-dejavu-core' : false;
if (skip !== false && process.env.COLLBENCH_REQUIRE_ALL === '1') throw new Error(skip);

test('a run is a PNG of 1600 pixels width', { skip }, async () => {
  const png = Buffer.from(await runPicture(syntheticRun({ maxBytes: 4096 })));
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  assert.equal(png.readUInt32BE(16), 1600);
  assert.ok(png.readUInt32BE(20) > 900);
  assert.ok(png.length > 20_000, 'there is something in it');
});

test('a workload of another kind is drawn as well', { skip }, async () => {
  assert.ok((await runPicture(nullRun())).length > 10_000);
});

test('title, medium and interval are in the picture; text of machines is no markup', async () => {
  const [group] = groupsOf([syntheticRun({ maxBytes: 4096 })]);
  assert.ok(group !== undefined);
  const figure = chartsOf(group.row)[0]?.draw(group);
  assert.ok(figure != null);
  const svg = await pictureSvg(figure, 'sisci: EMULATED <script>');
  assert.match(svg, />Bus bandwidth of allreduce float32 sum</);
  assert.match(svg, /EMULATED &lt;script&gt;/);
  assert.match(svg, />[^<]*95 % intervals/);
  assert.doesNotMatch(svg, /<script/);
});

test('fonts are found in folders below; without any that is known there are none', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'collbench-fonts-'));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.equal(findFonts([folder, join(folder, 'missing')]), null);
  writeFileSync(join(folder, 'Wingdings.ttf'), '');
  assert.equal(findFonts([folder]), null);
  writeFileSync(join(folder, 'DejaVuSans.ttf'), '');
  assert.deepEqual(findFonts([folder]), { family: 'DejaVu Sans', files: [join(folder, 'DejaVuSans.ttf')] });
});
