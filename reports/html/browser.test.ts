// test: e2e, up to 4 min
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { testExplainedSize, testExplanation } from '../../results/testing/explanation.ts';
import { explanationDocument, explanationTitle } from '../explanation/document.ts';
import { ncclRun, sweepRun } from '../fixtures/nccl.ts';
import { syntheticRun, syntheticTroubledRun } from '../fixtures/synthetic.ts';
import { systemLoadRun } from '../fixtures/system-load.ts';
import { nullRun, p2pRun } from '../fixtures/workloads.ts';
import { documentPage } from './document-page.ts';
import { writeReport } from './write.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const skip = existsSync(executablePath)
  ? false
  : `no Chromium at ${executablePath}: install the package chromium or set CHROMIUM_PATH`;
if (skip !== false && process.env.COLLBENCH_REQUIRE_ALL === '1') throw new Error(skip);

const pages: Record<string, string> = {};
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  const out = process.env.COLLBENCH_SCREENSHOTS ?? mkdtempSync(join(tmpdir(), 'collbench-browser-'));
  for (const [name, runs] of Object.entries({
    plain: [syntheticRun()],
    troubled: [syntheticTroubledRun()],
    nccl: [ncclRun()],
    sweep: [sweepRun({ maxBytes: 4096 })],
    meanwhile: [await systemLoadRun()],
    'point-to-point': [p2pRun(4096)],
    null: [nullRun()],
    several: [syntheticRun({ id: 'aaaaaa', maxBytes: 4096 }), syntheticRun({ id: 'bbbbbb', maxBytes: 4096 })],
  })) {
    pages[name] = (await writeReport(runs, join(out, name))).html;
  }
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
after(async () => {
  await browser?.close();
});

/** Minimum number of charts. The null workload has no derived figures. */
const fewest: Record<string, number> = { null: 2 };

for (const name of ['plain', 'troubled', 'several', 'nccl', 'sweep', 'meanwhile', 'point-to-point', 'null']) {
  for (const width of [1280, 400]) {
    for (const javaScriptEnabled of [true, false]) {
      const how = javaScriptEnabled ? 'with' : 'without';
      test(`${name} report at ${width} px ${how} JavaScript: no error, no request, no sideways scrolling`, {
        skip,
      }, async () => {
        const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled });
        const page = await context.newPage();
        const trouble: string[] = [];
        page.on('console', (message) => trouble.push(message.text()));
        page.on('pageerror', (error) => trouble.push(error.message));
        page.on('dialog', (dialog) => {
          trouble.push(`dialog: ${dialog.message()}`);
          void dialog.dismiss();
        });
        page.on('request', (request) => {
          if (request.url() !== pathToFileURL(pages[name] ?? '').href)
            trouble.push(`request: ${request.url()}`);
        });
        await page.goto(pathToFileURL(pages[name] ?? '').href);
        const widths =
          '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)';
        const size = await page.evaluate<{ scrollWidth: number; clientWidth: number }>(widths);
        assert.equal(size.scrollWidth, size.clientWidth);
        assert.ok(await page.locator('h1').isVisible());
        const charts = page.locator(`figure .${width > 760 ? 'wide' : 'narrow'} svg`);
        assert.ok((await charts.count()) >= (fewest[name] ?? 5));
        assert.ok(await charts.first().isVisible());
        assert.ok((await charts.first().boundingBox())?.width ?? 0 > 200);
        const picture = join(pages[name] ?? '', '..', `${name}-${width}.png`);
        await page.screenshot({ path: picture, fullPage: true });
        assert.ok(statSync(picture).size > 20_000);
        assert.deepEqual(trouble, []);
        await context.close();
      });
    }
  }
}

/** Script for the page that returns tables that cannot show all columns, and hidden cells. */
const lostColumns = `(() => {
  const lost = [];
  for (const table of document.querySelectorAll('table')) {
    const box = table.closest('.scroll');
    if (box === null) { lost.push('no box: ' + table.textContent.slice(0, 60)); continue; }
    if (table.offsetParent === null) continue;
    const name = box.getAttribute('aria-label');
    const end = table.getBoundingClientRect().right - box.getBoundingClientRect().left + box.scrollLeft;
    const scrolls = ['auto', 'scroll'].includes(getComputedStyle(box).overflowX);
    if (end > (scrolls ? box.scrollWidth : box.clientWidth) + 1) lost.push('cut off: ' + name);
    if (scrolls && box.scrollWidth > box.clientWidth + 1 && box.tabIndex !== 0) lost.push('no focus: ' + name);
    for (const cell of table.querySelectorAll('td'))
      if (cell.textContent !== '' && cell.getClientRects().length === 0) lost.push('hidden: ' + name);
  }
  return lost;
})()`;

for (const name of ['plain', 'troubled', 'nccl', 'several']) {
  test(`${name} report: no column is lost at 1280 and 400 pixels, nor in print`, { skip }, async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(pathToFileURL(pages[name] ?? '').href);
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    for (const width of [1280, 400]) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await page.evaluate(lostColumns), [], `${width} px`);
    }
    // 673 px is the width of A4 without margins; a printed page cannot scroll.
    await page.setViewportSize({ width: 673, height: 900 });
    await page.emulateMedia({ media: 'print' });
    assert.deepEqual(await page.evaluate(lostColumns), [], 'print');
    await page.close();
  });
}

test('the first screen needs no scrolling at 1440 x 900: title, badges, figures, answers and the chart', {
  skip,
}, async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  for (const name of ['plain', 'nccl']) {
    await page.goto(pathToFileURL(pages[name] ?? '').href);
    for (const part of ['h1', '.badges', '.words table', '.answers', '.hero .wide svg']) {
      const box = await page.locator(part).first().boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 900, `${name} ${part}`);
    }
  }
  await page.close();
});

test('with JavaScript the point under the pointer is named', { skip }, async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(pathToFileURL(pages.plain ?? '').href);
  const points = page.locator('figure .wide svg').first().locator('[data-i]');
  assert.equal(await points.count(), 56);
  const box = await points.last().boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  assert.match((await page.locator('#tip').textContent()) ?? '', /^sisci, 1 GiB248 ms ±\d/);
  assert.ok(await page.locator('#tip').isVisible());
  await page.close();
});

test('in print every chart is the wide one and folded tables are open', { skip }, async () => {
  const page = await browser.newPage({ viewport: { width: 500, height: 900 } });
  await page.goto(pathToFileURL(pages.plain ?? '').href);
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.locator('figure .wide svg').first().isVisible());
  assert.equal(await page.locator('figure .narrow svg').first().isVisible(), false);
  assert.equal(await page.locator('.contents').isVisible(), false);
  await page.close();
});

test('an explanation with a long name of a variable does not scroll sideways at 400 px', {
  skip,
}, async () => {
  const size = testExplainedSize();
  const shares = size.shares.map((share) =>
    share.kind === 'cause' ? { ...share, title: 'without MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE=1024' } : share,
  );
  const [series = assert.fail('no series')] = testExplanation().series;
  const record = testExplanation({ series: [{ ...series, sizes: [{ ...size, shares }] }] });
  const blocks = explanationDocument({ record, next: null, whole: null });
  const page = await browser.newPage({ viewport: { width: 400, height: 900 } });
  await page.setContent(await documentPage(explanationTitle(record), blocks));
  assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 400);
  await page.close();
});
