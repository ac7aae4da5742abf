// `npm run bench:site [-- RUNS]`: duration of `collbench site` with many runs. Measures it with the index of the runs, again
// without changes, and with one more night. At the end, measures how long it takes to read real run folders that are not in the
// index.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSite } from '../../reports/site/write.ts';
import { openIndexes } from '../../results/history/together.ts';
import { writeNight } from '../../results/testing/nights.ts';
import { groups, runsPerNight, writeHistoryOf } from './made-history.ts';

const runs = Number(process.argv[2] ?? 10_000);
const realRuns = 100;
const base = mkdtempSync(join(tmpdir(), 'collbench-bench-site-'));

async function timed(what: string, root: string, dir: string): Promise<void> {
  const before = process.cpuUsage();
  const started = performance.now();
  const { index, written } = await siteOf(root, dir);
  const { user, system } = process.cpuUsage(before);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  process.stdout.write(
    `${what}: ${seconds(performance.now() - started)}, processor time ${seconds((user + system) / 1000)}; ${index.lines.length} runs, ${written} files written\n`,
  );
}

async function siteOf(root: string, dir: string) {
  const index = await openIndexes([root]);
  const site = await writeSite(index, dir, {
    ...{ by: null, nights: 30, anyHost: false, title: 'bench', url: null, reportUrl: null, anew: false },
  });
  return { index, written: site.written };
}

try {
  const [root, site] = [join(base, 'runs'), join(base, 'site')];
  const made = mkdtempSync(root);
  writeHistoryOf(made, runs);
  process.stdout.write(
    `${runs} runs in ${Math.ceil(runs / runsPerNight)} nights, ${groups.length} size ranges each\n`,
  );
  await timed('first', made, site);
  await timed('nothing new', made, site);
  writeHistoryOf(made, runs + runsPerNight, runs);
  await timed('one more night', made, site);
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).map((name) => join(site, name));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  process.stdout.write(`${files.length} files, ${(bytes / 1e6).toFixed(1)} MB\n`);

  const real = mkdtempSync(join(base, 'real-'));
  for (let night = 0; night < realRuns; night += 1) await writeNight(real, { night, launches: 5 });
  rmSync(join(real, 'runs.ndjson'), { force: true });
  await timed(`${realRuns} run folders without an index`, real, join(base, 'real-site'));
  await timed('the same again', real, join(base, 'real-site'));
} finally {
  rmSync(base, { recursive: true, force: true });
}
