// test: e2e, up to 4 min
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { compareRuns } from '../../results/compare/index.ts';
import type { SuiteRecord } from '../../results/schema/index.ts';
import { madeRun } from '../../results/testing/run.ts';
import { suitePage } from '../html/suite.ts';
import { seriousIn } from '../testing/axe.ts';
import { comparedPage } from './index.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const skip = existsSync(executablePath)
  ? false
  : `no Chromium at ${executablePath}: install the package chromium or set CHROMIUM_PATH`;
if (skip !== false && process.env.COLLBENCH_REQUIRE_ALL === '1') throw new Error(skip);
/** A busy machine is no finding. */
const timeout = 120_000;

const suite: SuiteRecord = {
  ...{ schemaVersion: 2, id: 'abcdef', name: 'nightly', title: 'Suite nightly' },
  ...{
    command: ['collbench', 'suite', 'nightly'],
    files: [{ name: 'nightly.yaml', sha256: 'ab'.repeat(32) }],
  },
  ...{ startedAt: '2026-11-21T01:00:00.000Z', endedAt: null, state: 'complete', exitCode: 2 },
  entries: [
    {
      ...{ name: 'small', command: 'allreduce', words: ['--max', '1M'], environment: {}, optional: false },
      ...{
        status: 'failed',
        reason: 'rank 1 stopped answering',
        cells: { expected: 2, measured: 1 },
        runs: [],
      },
      leftOut: [{ transport: 'ib', reason: 'no adapter' }],
    },
  ],
  gate: null,
};

test('axe has no serious finding on the pages of a comparison and of a suite', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'collbench-axe-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const slow = madeRun({ id: 'bbbbbb', seed: 2, factor: (bytes) => (bytes >= 2 ** 22 ? 1.06 : 1) });
  const pages = {
    compared: await comparedPage(compareRuns([madeRun({ seed: 1 }), slow])),
    suite: suitePage(suite, () => false),
  };
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout });
  t.after(() => browser.close());
  // The policy of a page forbids what is put into it; axe is.
  const context = await browser.newContext({ bypassCSP: true });
  context.setDefaultTimeout(timeout);
  for (const [name, html] of Object.entries(pages)) {
    const file = join(folder, `${name}.html`);
    writeFileSync(file, html);
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    assert.deepEqual(await seriousIn(page), [], name);
  }
});
