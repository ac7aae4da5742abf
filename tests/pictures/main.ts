// Draws the pictures of README from a recorded run: `npm run pictures`. Needs Chromium.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { command, root } from '../e2e/harness.ts';
import { shortTable, terminalColumns, terminalSvg } from './terminal.ts';

const run = 'results/reference/nccl-2-h200';
const folder = path.join(root, 'docs/pictures');
/** Width of the browser window, in CSS pixels. */
const width = 440;
const collbench = (...args: string[]): string =>
  execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', LC_ALL: 'C.UTF-8', COLUMNS: String(terminalColumns) },
  });

writeFileSync(
  path.join(folder, 'terminal.svg'),
  terminalSvg(`collbench show ${run}`, shortTable(collbench('show', run))),
);

const out = mkdtempSync(path.join(tmpdir(), 'collbench-pictures-'));
try {
  collbench('report', run, '--out', out);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  // README shows the picture 400 pixels wide. The layout of a narrow window keeps its letters as large as on the page.
  const page = await browser.newPage({
    viewport: { width, height: 1000 },
    deviceScaleFactor: 1.5,
    bypassCSP: true,
  });
  await page.goto(`file://${path.join(out, 'report.html')}`);
  await page.addStyleTag({ content: '.standfirst, .answers, .hero figcaption ~ * { display: none }' });
  const { y, height } = (await page.locator('.hero figure').boundingBox()) ?? { y: 0, height: 800 };
  const file = path.join(folder, 'report.png');
  await page.screenshot({ path: file, clip: { x: 0, y: 0, width, height: Math.ceil(y + height) } });
  await browser.close();
  console.log(`${file}: ${statSync(file).size} bytes`);
} finally {
  rmSync(out, { recursive: true, force: true });
}
