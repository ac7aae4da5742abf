// test: core, up to 60 s
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { SuiteRecord } from '../../results/schema/index.ts';
import { createRun } from '../../results/store/write.ts';
import { syntheticBlocks } from '../fixtures/samples.ts';
import { endedSuite } from '../fixtures/suite.ts';
import { syntheticRun } from '../fixtures/synthetic.ts';
import { systemLoadRun } from '../fixtures/system-load.ts';
import { writeSuitePage } from './suite.ts';
import { writeReport } from './write.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const skip = existsSync(executablePath)
  ? false
  : `no Chromium at ${executablePath}: install the package chromium or set CHROMIUM_PATH`;
if (skip !== false && process.env.COLLBENCH_REQUIRE_ALL === '1') throw new Error(skip);

const out = mkdtempSync(join(tmpdir(), 'collbench-interactive-'));
const folders = { plain: join(out, 'plain'), loaded: join(out, 'loaded'), suite: join(out, 'suite') };
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  const run = syntheticRun({ collectives: ['allreduce', 'allgather', 'reduce'], maxBytes: 4096 });
  await writeReport(
    [
      {
        ...run,
        blocks: async function* () {
          yield* syntheticBlocks(run);
        },
      },
    ],
    folders.plain,
  );
  await writeReport([await systemLoadRun()], folders.loaded);
  await writeSuite(folders.suite);
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
const suiteOperations = ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'alltoall'] as const;

/** Writes a suite of five collectives with 2, 3 and 4 ranks each: more panels than a suite's page draws. */
async function writeSuite(out: string): Promise<void> {
  const measured = {
    status: 'measured' as const,
    reason: null,
    leftOut: [],
    environment: {},
    optional: false,
  };
  const entries = await Promise.all(
    suiteOperations.flatMap((collective, i) =>
      [2, 3, 4].map(async (ranks): Promise<SuiteRecord['entries'][number]> => {
        const id = `${ranks}${i}`.padStart(6, '0');
        const { record, cells } = syntheticRun({ id, collectives: [collective], maxBytes: 4096, ranks });
        const writer = await createRun({ out: join(out, id), record });
        await writer.replaceCells(cells);
        await writer.close();
        const run = { arm: 'tonight', pass: 'first', turn: 0, id, folder: id, exitCode: 0 } as const;
        const counts = { expected: cells.length, measured: cells.length };
        return { name: id, command: collective, words: [], cells: counts, runs: [run], ...measured };
      }),
    ),
  );
  await writeSuitePage({ ...endedSuite, state: 'complete', exitCode: 0, entries }, out);
}

after(async () => {
  await browser?.close();
});

/** Opens a page; any request and any error in the page fails the test. */
async function opened(
  name: keyof typeof folders,
  look: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
  hash = '',
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    offline: true,
    ...options,
  });
  const page = await context.newPage();
  const trouble: string[] = [];
  const address = pathToFileURL(join(folders[name], 'report.html')).href;
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob):/.test(url)) trouble.push(`request: ${url}`);
  });
  await page.goto(address + hash);
  await look(page);
  assert.deepEqual(trouble, []);
  await context.close();
}

const first = '#figure-1 .wide svg';
const shown = (page: Page, selector: string): Promise<number> =>
  page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((one) => one.checkVisibility()).length`,
  );

test(
  'the point under the pointer is named with value, interval, n and the distribution of its samples',
  { skip },
  () =>
    opened('plain', async (page) => {
      await page.locator(`${first} [data-i]`).last().hover();
      const card = page.locator('#tip');
      const text = (await card.locator('> *').allTextContents()).join(' | ');
      assert.match(
        text,
        /^sisci, 4 KiB \| [\d.]+ µs ±[\d.]+ %, bus bandwidth [\d.]+ GB\/s \| 95 % interval [\d.]+ µs to [\d.]+ µs \| n = 200 samples in 2 launches/,
      );
      assert.ok((await card.locator('.strip .bin').count()) >= 12);
      await page.mouse.move(2, 2);
      await card.waitFor({ state: 'hidden' });
    }),
);

test('arrow keys move from point to point and from series to series', { skip }, () =>
  opened('plain', async (page) => {
    await page.locator(first).focus();
    for (const [key, name] of [
      ['ArrowRight', 'socket, 8 B'],
      ['ArrowRight', 'socket, 16 B'],
      ['End', 'socket, 4 KiB'],
      ['ArrowDown', 'sisci, 4 KiB'],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await page.locator('#tip b').textContent(), name);
    }
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('#tip').isHidden());
  }),
);

test('the page of a suite has a chart of each operation, and its filter lists all of them', { skip }, () =>
  opened('suite', async (page) => {
    const listed = await page.evaluate(
      "[...document.querySelectorAll('#filters input[name=what]')].map(({ value }) => value)",
    );
    assert.deepEqual(new Set(listed as string[]), new Set(suiteOperations));
    const titles = (await page.evaluate(
      "[...document.querySelectorAll('figcaption b')].map(({ textContent }) => textContent)",
    )) as string[];
    for (const name of suiteOperations)
      assert.ok(
        titles.some((title) => title.includes(name)),
        name,
      );
  }),
);

test(
  'averages of a suite have a bar of each operation and transport in both panels, also where the factor is 1',
  { skip },
  () =>
    opened('suite', async (page) => {
      const bars = (await page.evaluate(
        `[...document.querySelectorAll('${first} [data-i]')].map((bar) => bar.dataset.i)`,
      )) as string[];
      const panels = [...new Set(bars)].map((bar) => bars.filter((one) => one === bar).length);
      assert.deepEqual(
        panels,
        Array.from({ length: 2 * suiteOperations.length }, () => 2),
      );
    }),
);

test('a filter hides series and rows, stays in the address, and print shows everything', { skip }, () =>
  opened('plain', async (page) => {
    const [points, lines, rows] = [`${first} [data-i]`, `${first} [data-s]`, '#figure-1 tbody tr'];
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    const all = await Promise.all([points, lines, rows].map((one) => shown(page, one)));
    await page.locator('#filters input[value=socket]').uncheck();
    assert.deepEqual(
      await Promise.all([points, lines, rows].map((one) => shown(page, one))),
      all.map((n) => n / 2),
    );
    assert.equal(new URL(page.url()).hash, '#no-transport=socket');
    await page.locator('#filters select[name=from]').selectOption({ label: '1 KiB' });
    assert.equal(await shown(page, points), 3);
    assert.equal(await shown(page, 'tr[data-transport=sisci][data-x="512"]'), 0);
    await page.reload();
    assert.equal(await shown(page, points), 3);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await shown(page, points), all[0]);
    await page.emulateMedia({ media: 'screen' });
    await page.locator('#filters button').click();
    assert.equal(await shown(page, points), all[0]);
  }),
);

test('the size stands in the first row that is shown of it', { skip }, () =>
  opened('plain', async (page) => {
    const size = page.locator('tr[data-transport=sisci][data-x="512"] td.x').first();
    assert.equal(await size.textContent(), '');
    await page.locator('#filters input[value=socket]').uncheck();
    assert.equal(await size.textContent(), '512 B');
  }),
);

test('an operation and a node can be hidden', { skip }, async () => {
  await opened('plain', async (page) => {
    const points = `${first} [data-i]`;
    const all = await shown(page, '.wide [data-i]');
    await page.locator('#filters input[value=allreduce]').uncheck();
    assert.equal(await shown(page, points), 0);
    assert.ok(await page.locator('#figure-1').isHidden(), 'nothing is left in it');
    assert.ok((await shown(page, '.wide [data-i]')) < all);
  });
  await opened('loaded', async (page) => {
    const figure = page.locator('figure', { hasText: 'System load of bench01' });
    assert.ok(await figure.isVisible());
    await page.locator('#filters input[value=bench01]').uncheck();
    assert.ok(await figure.isHidden());
  });
});

test('a figure is saved as SVG, PNG, CSV and Vega-Lite specification', { skip }, () =>
  opened('plain', async (page) => {
    const saved = async (form: string): Promise<{ name: string; bytes: Buffer }> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('#figure-1 .save button', { hasText: form }).click(),
      ]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const csv = await saved('CSV');
    assert.deepEqual(csv.bytes, readFileSync(join(folders.plain, 'figures', csv.name)));
    const svg = await saved('SVG');
    assert.match(
      svg.bytes.toString(),
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]*><title>Bus bandwidth of .*<\/title><desc>Figure 1\. /,
    );
    const png = await saved('PNG');
    assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.bytes.readUInt32BE(16) > 1200, 'twice as wide as on the screen');
    const spec = JSON.parse((await saved('Vega-Lite')).bytes.toString());
    assert.equal(spec.$schema, 'https://vega.github.io/schema/vega-lite/v6.json');
    assert.equal(spec.config.view.stroke, null);
    assert.equal(spec.data.values.length, csv.bytes.toString().trim().split('\n').length - 1);
  }),
);

test('a link to a chapter opens what is folded in it and keeps the filter', { skip }, () =>
  opened(
    'plain',
    async (page) => {
      const folded = page.locator('#all-allgather-float32-out > details').first();
      assert.ok((await folded.getAttribute('open')) !== null);
      assert.equal(await page.locator('#filters input[value=sisci]').isChecked(), false);
      await page.locator('#figure-1 .save a').click();
      assert.equal(new URL(page.url()).hash, '#figure-1&no-transport=sisci');
    },
    {},
    '#all-allgather-float32-out&no-transport=sisci',
  ),
);

test('without scripts everything is shown, with links to the files', { skip }, () =>
  opened(
    'plain',
    async (page) => {
      const files = page.locator('figure .files a');
      assert.equal(await files.count(), 2 * (await page.locator('figure').count()));
      for (const figure of await page.locator('figure .wide svg').all()) assert.ok(await figure.isVisible());
      assert.equal(await page.locator('#filters, #tip, .save').count(), 0);
    },
    { javaScriptEnabled: false },
  ),
);

for (const [colorScheme, paper] of [
  ['light', 'rgb(255, 255, 255)'],
  ['dark', 'rgb(21, 23, 26)'],
] as const) {
  test(`in ${colorScheme} surroundings page and drawings are ${colorScheme}`, { skip }, () =>
    opened(
      'plain',
      async (page) => {
        const colour = (selector: string, property: string): Promise<string> =>
          page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
        assert.equal(await colour('body', 'backgroundColor'), paper);
        assert.equal(await colour(`${first} rect`, 'fill'), paper);
      },
      { colorScheme },
    ),
  );
}
