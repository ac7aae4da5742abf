// test: e2e, up to 4 min
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { openIndexes } from '../../results/history/together.ts';
import { stepDate, writeDashboardNights } from '../../results/testing/dashboard.ts';
import { seriousViolations } from '../testing/axe.ts';
import { writeSite } from './write.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const skip = existsSync(executablePath)
  ? false
  : `no Chromium at ${executablePath}: install the package chromium or set CHROMIUM_PATH`;
if (skip !== false && process.env.COLLBENCH_REQUIRE_ALL === '1') throw new Error(skip);

/** Timeout in ms, long enough for a busy machine. */
const patience = 120_000;

const out = process.env.COLLBENCH_SCREENSHOTS ?? mkdtempSync(join(tmpdir(), 'collbench-site-browser-'));
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  await writeDashboardNights(join(out, 'runs'));
  await writeSite(await openIndexes([join(out, 'runs')]), join(out, 'site'), {
    ...{ by: null, nights: 30, anyHost: false, title: 'nightly', url: null, reportUrl: null, anew: false },
  });
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: patience });
});
after(async () => {
  await browser?.close();
  if (process.env.COLLBENCH_SCREENSHOTS === undefined) await rm(out, { recursive: true, force: true });
});

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [1440, 400])
    test(`site at ${width} px, ${colorScheme}: no request, no sideways scrolling, no column lost, no serious finding of axe`, {
      skip,
    }, async () => {
      const series = readdirSync(join(out, 'site', 'series')).find((name) => name.includes('socket'));
      const context = await browser.newContext({
        ...{ viewport: { width, height: 900 }, colorScheme },
        // The page's policy forbids scripts that are added, such as axe.
        bypassCSP: true,
      });
      for (const name of ['index.html', `series/${series}`]) {
        const url = pathToFileURL(join(out, 'site', name)).href;
        const page = await context.newPage();
        page.setDefaultTimeout(patience);
        const trouble: string[] = [];
        page.on('console', (message) => trouble.push(message.text()));
        page.on('pageerror', (error) => trouble.push(error.message));
        page.on('request', (request) => {
          if (request.url() !== url) trouble.push(`request: ${request.url()}`);
        });
        await page.goto(url);
        const { scrollWidth, clientWidth } = await page.evaluate<{
          scrollWidth: number;
          clientWidth: number;
        }>('(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)');
        assert.equal(scrollWidth, clientWidth, name);
        await page.screenshot({
          path: join(out, `site-${width}-${colorScheme}-${name.replace('/', '-')}.png`),
          fullPage: true,
        });
        if (name === 'index.html') {
          const row = page.getByRole('row').filter({ hasText: 'socket' }).filter({ hasText: 'small' });
          for (const cell of await row.locator('td').all()) {
            const box = await cell.boundingBox();
            const isInside = box !== null && box.x >= 0 && box.x + box.width <= width && box.width > 0;
            assert.ok(isInside, `${await cell.textContent()}`);
          }
          assert.equal(await row.getByRole('cell').count(), 35);
          const red = page.locator('td.c .slower, td.c .faster, td.c .failed');
          assert.equal(await red.count(), 1);
          assert.match(
            (await page.locator('td.c:has(.slower)').getAttribute('title')) ?? '',
            new RegExp(`^${stepDate}: slower`),
          );
        }
        assert.deepEqual(await seriousViolations(page), [], name);
        assert.deepEqual(trouble, []);
        await page.close();
      }
      await context.close();
    });

test('by run at 400 px: times above neighbouring columns do not overlap', { skip }, async () => {
  const folder = join(out, 'by-run');
  await writeSite(await openIndexes([join(out, 'runs')]), folder, {
    ...{ by: 'run', nights: 30, anyHost: false, title: 'nightly', url: null, reportUrl: null, anew: false },
  });
  const page = await browser.newPage({ viewport: { width: 400, height: 900 } });
  page.setDefaultTimeout(patience);
  await page.goto(pathToFileURL(join(folder, 'index.html')).href);
  const widths = await page.evaluate<{ text: number; own: number }[]>(
    `[...document.querySelectorAll('.grid td.c')].map((cell) =>
      ({ text: cell.querySelector('.day').scrollWidth, own: cell.clientWidth }))`,
  );
  assert.ok(widths.length > 1);
  for (const { text, own } of widths) assert.ok(text <= own, `${text} px of text in ${own} px`);
  await page.close();
});

test('by keyboard: from the first page to the change and back', { skip }, async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  await page.goto(pathToFileURL(join(out, 'site', 'index.html')).href);
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/series\/.*#small$/);
  assert.match((await page.locator('h1').textContent()) ?? '', /socket/);
  await page.getByRole('link', { name: 'nightly' }).press('Enter');
  await page.waitForURL(/index\.html$/);
  await page.close();
});
