import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type RunRecord, type SuiteRecord, suiteRecord } from '../../results/schema/index.ts';
import { run, start, survivors, withFolder } from './harness.ts';

/** The newest suite below `folder/collbench-runs`. */
function lastSuite(folder: string): { dir: string; record: SuiteRecord } {
  const root = path.join(folder, 'collbench-runs');
  const suites = readdirSync(root)
    .filter((one) => one.includes('-suite-'))
    .map((name) => {
      const dir = path.join(root, name);
      const text = readFileSync(path.join(dir, 'suite.json'), 'utf8');
      return { dir, record: suiteRecord.parse(JSON.parse(text)) };
    })
    .sort((a, b) => a.record.startedAt.localeCompare(b.record.startedAt));
  const last = suites.at(-1);
  assert.ok(last);
  return last;
}

const write = (folder: string, name: string, text: string): void =>
  writeFileSync(path.join(folder, name), text);

test('a suite measures its entries, tells what cannot run, and its runs are runs like any other', async () => {
  await withFolder(async (folder) => {
    write(
      folder,
      'mine.yaml',
      `title: "Mine\\e[2J"
options: {launches: 1, iters: 3, sizes: [8, 1K], sample-interval: "off"}
entries:
  both: {collective: [allreduce, broadcast], transport: [socket, "plugin:/no/such.so"], optional: true}
  none: {collective: allreduce, transport: "plugin:/no/such.so", optional: true}
  instead: {collective: reduce, unless: [none, both]}
`,
    );
    const ended = await run(['suite', './mine.yaml'], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(
      ended.stdout,
      /^mine: Mine·\[2J\n {2}4 entries, 4 configurations, about \d+ s · suite [0-9a-f]{6}\n/,
    );
    assert.match(
      ended.stdout,
      /both\/allreduce and both\/broadcast without\s+plugin:\/no\/such\.so: transport\s+plugin/,
    );
    assert.match(ended.stdout, /none cannot run here:\s+transport\s+plugin/);
    assert.match(ended.stdout, /instead not needed: both can run here/);
    assert.match(
      ended.stdout,
      /2 of 4 entries measured, 1 cannot run here, 1 not needed · report: .*report\.html\n/,
    );
    const { dir, record } = lastSuite(folder);
    assert.deepEqual(
      record.entries.map(({ name, status, cells }) => [name, status, cells.measured]),
      [
        ['both/allreduce', 'measured', 2],
        ['both/broadcast', 'measured', 2],
        ['none', 'cannot-run', 0],
        ['instead', 'not-needed', 0],
      ],
    );
    const [first] = record.entries[0]?.runs ?? [];
    const file = path.join(dir, first?.folder ?? '', 'run.json');
    const told = JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
    const member = told.suite;
    assert.deepEqual([member?.id, member?.entry, member?.arm], [record.id, 'both/allreduce', 'tonight']);
    writeFileSync(file, JSON.stringify({ ...told, title: '\u001b[2J' }));
    const listed = await run(['runs'], { cwd: folder });
    assert.match(
      listed.stdout,
      new RegExp(` ·\\[2J · suite mine ${record.id}: both/allreduce\\n`),
      'a line names suite and entry, and no title writes to the terminal',
    );
    assert.equal(
      (await run(['runs', '--filter', `${record.id} both/broadcast`], { cwd: folder })).stdout
        .trim()
        .split('\n').length,
      1,
    );
    assert.equal(listed.stdout.trim().split('\n').length, 2);
    const table = (await run(['export', record.id], { cwd: folder })).stdout.trim().split('\n');
    assert.match(table[0] ?? '', /^entry,id,/);
    const entries = table.slice(1).map((line) => line.split(',')[0]);
    assert.deepEqual([...new Set(entries)], ['both/allreduce', 'both/broadcast']);
  });
});

test('variables of an entry reach its ranks; what fails is a failure and the rest is measured', async () => {
  await withFolder(async (folder) => {
    write(
      folder,
      'mine.yaml',
      `options: {launches: 1, iters: 3, sizes: 8, transport: sisci, sample-interval: "off"}
entries:
  bad: {collective: allreduce, environment: {SOFTNTB_ENGINES: many}}
  good: {collective: allreduce, environment: {SOFTNTB_ENGINES: "0"}}
`,
    );
    const ended = await run(['suite', './mine.yaml', '--json'], { cwd: folder });
    assert.equal(ended.code, 2);
    const { record, dir } = lastSuite(folder);
    assert.deepEqual(
      record.entries.map(({ status }) => status),
      ['failed', 'measured'],
    );
    assert.match(record.entries[0]?.reason ?? '', /SCIInitialize failed/);
    const folderOf = record.entries[1]?.runs[0]?.folder ?? '';
    const good = JSON.parse(readFileSync(path.join(dir, folderOf, 'run.json'), 'utf8')) as RunRecord;
    assert.equal(good.environment.SOFTNTB_ENGINES, '0');
    assert.deepEqual(good.environmentSet, ['SOFTNTB_ENGINES']);
    // The resumed run sets the same environment variables for its ranks, so it fails in the same way.
    const again = await run(['resume', record.entries[0]?.runs[0]?.id ?? ''], { cwd: folder });
    assert.equal(again.code, 2, again.stderr);
    assert.match(again.stderr, /resuming run/);
    assert.match(again.stderr, /SOFTNTB_ENGINES/);
    assert.doesNotMatch(again.stderr, /other surroundings|not as before/);
    const last = JSON.parse(ended.stdout.trim().split('\n').at(-1) ?? '') as { type: string; id: string };
    assert.deepEqual([last.type, last.id], ['suite', record.id]);
  });
});

/**
 * A suite over emulated links, whose operations take 35 to 180 ms. The value of a launch is a median of three, so that a
 * single stall has no effect.
 */
const paced = (parts: string): string => `detect: 100%
options: {launches: 3, iters: 3, warmup: 0, sizes: 1M, transport: sisci, sample-interval: "off"}
${parts}`;
const fast = 'link: "custom:gbps=0.04"';
const steady = 'link: "custom:gbps=0.012"';
const slow = 'link: "custom:gbps=0.006"';

/** Checks that `report` writes the reports of all runs of a gated suite, and that the suite's page links those that exist. */
async function everyRunIsLinked(folder: string): Promise<void> {
  const { dir, record } = lastSuite(folder);
  const runs = record.entries.flatMap((entry) => entry.runs);
  const linked = () =>
    [...readFileSync(path.join(dir, 'report.html'), 'utf8').matchAll(/href="([^"]*)\/report\.html"/g)].map(
      ([, to]) => to,
    );
  assert.deepEqual(linked(), []);
  rmSync(path.join(dir, runs[0]?.folder ?? ''), { recursive: true });
  const told = await run(['report', record.id], { cwd: folder });
  assert.equal(told.code, 0, told.stderr);
  assert.match(
    told.stdout,
    new RegExp(`\n${runs.length - 1} of ${runs.length} runs with a report beside it\n`),
  );
  assert.match(told.stderr, new RegExp(`run ${runs[0]?.id} has no report: `));
  assert.deepEqual(new Set(linked()), new Set(runs.slice(1).map((one) => one.folder)));
  for (const one of runs.slice(1))
    assert.match(readFileSync(path.join(dir, one.folder, 'report.html'), 'utf8'), /<main>/);
  assert.match(readFileSync(path.join(dir, 'report.html'), 'utf8'), /REGRESSION/);
  const elsewhere = await run(['report', dir, '--out', 'there'], { cwd: folder });
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.stderr, /has its page in its own folder/);
}

test('a slowed link turns the gate red, naming series and size; without it the gate is green', async () => {
  await withFolder(async (folder) => {
    write(
      folder,
      'red.yaml',
      paced(`anchor: {${fast}}\nentries: {paced: {collective: allreduce, ${slow}}}\n`),
    );
    write(
      folder,
      'green.yaml',
      paced(`anchor: {${steady}}\nentries: {paced: {collective: allreduce, ${steady}}}\n`),
    );
    const red = await run(['suite', './red.yaml', '--gate', '--markdown', 'verdict.md'], { cwd: folder });
    assert.equal(red.code, 4, red.stdout + red.stderr);
    assert.match(
      red.stdout,
      /\nCompared with the reference build in[\s\S]*\nREGRESSION: up to \S+(?: %)? slower in 1 of 1 size range\.\n/,
    );
    assert.match(red.stdout, /paced: allreduce float32 sum, cpu over sisci \(emulated\), 2 ranks/);
    assert.match(
      red.stdout,
      /\n1 MiB +(?:\+[\d.]+ %|x[\d.]+) \[.*\]\s+(?:verdict: )?slower, certain after \d+\s+pairs/,
    );
    assert.match(red.stdout, /Other differences\n[\s\S]*link\s+custom:gbps=\S+\s+custom:gbps=0\.006/);
    assert.match(
      readFileSync(path.join(folder, 'verdict.md'), 'utf8'),
      /^### red: REGRESSION.*\n[\s\S]*\| paced: allreduce /,
    );
    const { entries, gate } = lastSuite(folder).record;
    assert.deepEqual([gate?.verdict, gate?.reference?.kind], ['regression', 'anchor']);
    const runs = entries[0]?.runs ?? [];
    for (let turn = 0; turn < runs.length; turn += 2) {
      assert.deepEqual([runs[turn]?.arm, runs[turn + 1]?.arm].sort(), ['anchor', 'tonight']);
    }
    const { looks = [], maxPairs = 0 } = gate?.groups[0]?.sequence ?? {};
    assert.deepEqual([runs.length, maxPairs], [2 * looks.length, 30]);
    // An exact test of signs needs 8 pairs at 1 %: fewer would be a guess.
    assert.ok(looks.length >= 8 && looks.length < 30, `${looks.length} pairs`);
    const last = looks.at(-1);
    assert.ok(last !== undefined && last.slower >= 200 && last.ratio > 1, JSON.stringify(last));
    await everyRunIsLinked(folder);
    const green = await run(['suite', './green.yaml', '--gate'], { cwd: folder });
    assert.equal(green.code, 0, green.stdout + green.stderr);
    assert.match(green.stdout, /\nPASS: none of 1 size range is slower/);
  });
});

test('an entry with a time budget is measured in pairs as one without', async () => {
  await withFolder(async (folder) => {
    const entry = '{collective: allreduce, sizes: [4K], transport: [shm], budget: 20s}';
    write(folder, 'timed.yaml', `detect: 30%\nanchor: {seed: 2}\nentries: {timed: ${entry}}\n`);
    const ended = await run(['suite', './timed.yaml', '--gate', '--pairs', '8'], { cwd: folder });
    const { entries, gate } = lastSuite(folder).record;
    assert.equal(gate?.groups[0]?.sequence?.looks.length, 8, ended.stdout + ended.stderr);
    assert.deepEqual(new Set(entries[0]?.runs.map((one) => one.exitCode)), new Set([0]));
  });
});

test('an anchor goes without what is left out, and what it does not have is told', async () => {
  await withFolder(async (folder) => {
    write(
      folder,
      'mine.yaml',
      `anchor: {sizes: 8}
options: {launches: 4, iters: 3, sizes: [8, 1K], sample-interval: "off"}
entries: {part: {collective: allreduce, transport: [socket, "plugin:/no/such.so"], optional: true}}
`,
    );
    const ended = await run(['suite', './mine.yaml', '--gate'], { cwd: folder });
    // The verdict of the gate depends on the machine; the test only checks that the gate ends.
    assert.ok([0, 4, 5].includes(ended.code ?? -1), ended.stdout + ended.stderr);
    assert.match(ended.stdout, /1 of 1 entry measured/);
    assert.match(ended.stdout, /1 configuration of the candidate are not in the reference/);
  });
});

test('a baseline is kept without its runs; scatter that hides what must be seen gives no verdict', async () => {
  await withFolder(async (folder) => {
    // The operation is paced, so that its time is the same at each of the three measurements, whatever else the machine does.
    const mine = (detect: string) => `detect: ${detect}
options: {launches: 4, iters: 3, warmup: 0, sizes: 1M, transport: sisci, sample-interval: "off"}
entries: {paced: {collective: allreduce, ${steady}}}
`;
    write(folder, 'mine.yaml', mine('50%'));
    const alone = await run(['suite', './mine.yaml', '--gate'], { cwd: folder });
    assert.equal(alone.code, 5, alone.stderr);
    assert.match(alone.stderr, /^collbench: --gate: there is no reference build and no baseline/m);
    const { id } = lastSuite(folder).record;
    assert.match(
      alone.stdout,
      new RegExp(`NO VERDICT: .*\nAdvice: .*\nNext: collbench baseline set ${id}\n`),
    );
    assert.equal((await run(['suite', './mine.yaml'], { cwd: folder })).code, 0);
    const second = lastSuite(folder).record.id;
    const set = await run(['baseline', 'set', 'last'], { cwd: folder });
    assert.match(set.stdout, new RegExp(`suite ${second}`), set.stderr);
    // All commands that accept a suite find the same suite.
    for (const word of ['last', second]) {
      const page = await run(['report', word], { cwd: folder });
      assert.match(page.stdout, new RegExp(`suite-mine-${second}/report.html`), page.stderr);
      const text = await run(['export', word, '--open-metrics'], { cwd: folder });
      assert.match(text.stdout, new RegExp(`_exit_code{suite="mine",id="${second}"`), text.stderr);
    }
    const tooFew = await run(['baseline', 'learn', id, second], { cwd: folder });
    assert.equal(tooFew.code, 2);
    assert.match(tooFew.stderr, /2 runs of one night show nothing of how nights differ/);
    const learned = await run(['baseline', 'learn', id, second, '--force'], { cwd: folder });
    assert.match(learned.stderr, /1 of 5 nights: the scatter between nights is little known/);
    assert.equal(learned.code, 0, learned.stderr);
    assert.match(learned.stdout, /% against a reference build, [>\d.]+ % against another night/);
    write(folder, 'mine.yaml', mine('0.1%'));
    const moved = await run(['suite', './mine.yaml', '--gate', '--root', 'elsewhere'], {
      cwd: folder,
      env: { NCCL_ALGO: 'Ring' },
    });
    assert.equal(moved.code, 5, moved.stderr);
    assert.match(moved.stdout, /NO VERDICT in 1 of 1 size range|NOT CONFIRMED: up to /);
    assert.match(moved.stdout, /Compared with baseline mine \(suite [0-9a-f]{6}, .*learned from 2 runs/s);
    assert.match(moved.stdout, /Other differences\n[\s\S]*NCCL_ALGO\s+not set\s+Ring/);
    assert.match(moved.stdout, /Advice: (try --launches|use a quieter machine|measure again)/);
  });
});

test('interrupted between two entries: 130, the rest is named, what was measured is kept', async () => {
  await withFolder(async (folder) => {
    write(
      folder,
      'mine.yaml',
      `options: {launches: 1, iters: 3, sizes: 8, sample-interval: "off"}
entries: {many: {collective: allreduce, matrix: {seed: [1, 2, 3, 4, 5, 6]}}}
`,
    );
    const started = start(['suite', './mine.yaml'], { cwd: folder });
    await started.sees(/many\/seed=1 +1\/1 measured/);
    started.child.kill('SIGTERM');
    const ended = await started.ended;
    assert.equal(ended.code, 130, ended.stdout + ended.stderr);
    const { record } = lastSuite(folder);
    assert.equal(record.state, 'interrupted');
    assert.equal(record.entries[0]?.status, 'measured');
    assert.equal(record.entries.at(-1)?.status, 'not-reached');
    assert.deepEqual(await survivors(started.marker), []);
  });
});

test('runs that the page of a suite links to stay, unless --force removes the links, too', async () => {
  await withFolder(async (cwd) => {
    write(
      cwd,
      'mine.yaml',
      'options: {launches: 1, iters: 3, sizes: 8, sample-interval: "off"}\nentries: {a: {collective: allreduce}, b: {collective: broadcast}}\n',
    );
    assert.equal((await run(['suite', './mine.yaml'], { cwd })).code, 0);
    const { dir, record } = lastSuite(cwd);
    const [a = '', b = ''] = record.entries.flatMap((entry) => entry.runs.map(({ id }) => id));
    const page = () => readFileSync(path.join(dir, 'report.html'), 'utf8');
    const links = () => [...page().matchAll(/href="[^"]*-(\w+)\/report\.html"/g)].map(([, id]) => id);
    assert.deepEqual(links(), [a, b]);
    const refused = await run(['rm', a], { cwd });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, new RegExp(`belongs to suite mine ${record.id}, whose page links to it`));
    const pruned = await run(['prune', '--keep', '0'], { cwd });
    assert.match(pruned.stdout, new RegExp(`kept 2 of suites, .*mine ${record.id}`));
    assert.equal((await run(['rm', a, '--force'], { cwd })).code, 0);
    assert.deepEqual(links(), [b]);
    const whole = await run(['prune', '--keep', '0', '--suites', '--dry-run'], { cwd });
    assert.match(whole.stdout, new RegExp(`would remove suite mine ${record.id}`));
    assert.equal((await run(['prune', '--keep', '0', '--force'], { cwd })).code, 0);
    assert.deepEqual(links(), []);
    assert.match(page(), new RegExp(a), 'named still');
    assert.match((await run(['prune', '--keep', '0', '--suites'], { cwd })).stdout, /removed suite mine/);
    assert.ok(!existsSync(dir));
  });
});

test('pairs that can give no verdict are refused before anything is measured', async () => {
  await withFolder(async (folder) => {
    const anchored = ['suite', 'smoke', '--gate', '--anchor', 'seed=2', '--pairs', '3'];
    const ended = await run(anchored, { cwd: folder });
    assert.equal(ended.code, 1, ended.stdout);
    assert.match(ended.stderr, /3 pairs of launches can give no verdict/);
    assert.match(ended.stderr, /Next: collbench suite smoke --gate --anchor seed=2\n/);
    assert.deepEqual(readdirSync(folder), []);
  });
});

test('a gate that cannot pass with so few launches is refused before anything is measured', async () => {
  await withFolder(async (folder) => {
    const ended = await run(['suite', 'smoke', '--gate', '--transport', 'socket'], { cwd: folder });
    assert.equal(ended.code, 1, ended.stdout);
    assert.match(ended.stderr, /2 launches per configuration can give no verdict/);
    assert.match(ended.stderr, /Next: collbench suite smoke --gate --transport socket --launches \d+\n/);
    assert.deepEqual(readdirSync(folder), []);
  });
});
