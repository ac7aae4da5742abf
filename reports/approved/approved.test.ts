// test: e2e, up to 5 min
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { pages } from '../testing/approved-pages.ts';
import { seriousViolations } from '../testing/axe.ts';
import { outline } from '../testing/outline.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const skip = existsSync(executablePath)
  ? false
  : `no Chromium at ${executablePath}: install the package chromium or set CHROMIUM_PATH`;
if (skip !== false && process.env.COLLBENCH_REQUIRE_ALL === '1') throw new Error(skip);
/** Timeout in ms, long enough for a busy machine. */
const timeout = 120_000;
/** True under `npm run approve`: the current output is stored as approved. */
const isApproving = process.env.APPROVE === '1';

/** This file runs as dist/reports/approved/approved.test.js. */
const folder = fileURLToPath(new URL('../../../reports/approved/', import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'collbench-approved-'));
let browser: Browser;

before(async () => {
  if (skip === false) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout });
});
after(async () => {
  await browser?.close();
  rmSync(out, { recursive: true, force: true });
});

interface PageVariant {
  width: number;
  colorScheme?: 'dark';
  media?: 'print';
  javaScriptEnabled?: false;
  /** True if axe checks this variant; both colours and both widths are enough. */
  axe?: true;
}

const ways: Record<string, PageVariant> = {
  '1440 light': { width: 1440 },
  '1440 dark': { width: 1440, colorScheme: 'dark', axe: true },
  '1024 light': { width: 1024 },
  '400 light': { width: 400, axe: true },
  '400 dark': { width: 400, colorScheme: 'dark' },
  // 673 px is the width of A4 without margins.
  print: { width: 673, media: 'print' },
  'no scripts': { width: 1440, javaScriptEnabled: false },
};

async function opened(file: string, way: PageVariant, look: (page: Page) => Promise<void>): Promise<void> {
  const { width, colorScheme = 'light', media, javaScriptEnabled = true } = way;
  const context = await browser.newContext({
    ...{ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled, offline: true },
    // The page's policy forbids scripts that are added, such as axe.
    bypassCSP: way.axe === true,
  });
  context.setDefaultTimeout(timeout);
  const page = await context.newPage();
  const trouble: string[] = [];
  const url = pathToFileURL(file).href;
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== url) trouble.push(`request: ${request.url()}`);
  });
  if (media !== undefined) await page.emulateMedia({ media });
  await page.goto(url);
  await look(page);
  assert.deepEqual(trouble, []);
  await context.close();
}

/** Problems that must never be approved. */
const wrong = /CUT OFF|SIDEWAYS|cut off|covered|pale|upon the next|cells lost/;

// Two tests run at once: while the browser shows one page, the next one is written.
describe('approved pages', { concurrency: 2 }, () => {
  for (const [name, write] of Object.entries(pages)) {
    test(`${name}: shows what was approved, nothing cut off, covered or pale, and axe finds nothing serious`, {
      skip,
    }, async () => {
      const file = await write(join(out, name));
      const seen = new Map<string, string>();
      for (const [title, way] of Object.entries(ways))
        await opened(file, way, async (page) => {
          const lines = await page.evaluate<string[]>(outline);
          const bad = lines.filter((line) => wrong.test(line));
          assert.deepEqual(bad, [], `${name}, ${title}`);
          const text = lines.join('\n');
          const [like] = [...seen].find(([, known]) => known === text) ?? [];
          seen.set(title, like === undefined ? text : `as ${like}`);
          if (way.axe === true) assert.deepEqual(await seriousViolations(page), [], `${name}, ${title}`);
        });
      const all = `${[...seen].map(([title, text]) => `# ${title}\n${text}\n`).join('\n')}`;
      const approved = join(folder, 'pages', `${name}.txt`);
      if (isApproving) {
        writeFileSync(approved, all);
        await pictures(name, file);
      }
      assert.equal(all, readFileSync(approved, 'utf8'), 'if this is right: npm run approve');
    });
  }
});

/** First screens that are stored as pictures for reviewers, at reduced size. */
const shownToPeople = [
  'gpus-1440 light',
  'gpus-1440 dark',
  'gpus-400 dark',
  'control-paths-1440 light',
  'compared-1024 light',
];

async function pictures(name: string, file: string): Promise<void> {
  for (const [title, { width, colorScheme = 'light' }] of Object.entries(ways)) {
    if (!shownToPeople.includes(`${name}-${title}`)) continue;
    const context = await browser.newContext({
      ...{ viewport: { width, height: 900 }, colorScheme, deviceScaleFactor: 0.65, offline: true },
    });
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    mkdirSync(join(folder, 'screens'), { recursive: true });
    await page.screenshot({ path: join(folder, 'screens', `${name}-${title.replace(' ', '-')}.png`) });
    await context.close();
  }
}
