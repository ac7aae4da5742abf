import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { test } from 'node:test';
import { compareRuns } from '../../results/compare/compare-runs.ts';
import { measuredOf } from '../../results/schema/index.ts';
import type { LoadedRun } from '../../results/store/types.ts';
import { testExplanation } from '../../results/testing/explanation.ts';
import { ncclRun } from '../fixtures/nccl.ts';
import {
  slower,
  socketPlan,
  syntheticRun,
  syntheticTroubledRun,
  withFigures,
} from '../fixtures/synthetic.ts';
import { syntheticRetriedRun } from '../fixtures/variants.ts';
import { nullRun, p2pRun } from '../fixtures/workloads.ts';
import { derivedRows } from '../rows.ts';
import { buildPage } from './page.ts';
import { unpackFigures } from './scripts/page-data.ts';
import { writeReport } from './write.ts';

/** Builds a page once for several tests. */
const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};
const plainPage = once(() => buildPage([syntheticRun()]));
const smallPage = once(() => buildPage([syntheticRun({ maxBytes: 64 })]));

const folder = () => mkdtempSync(join(tmpdir(), 'collbench-report-'));
const voids = new Set(['meta', 'br', 'img', 'link', 'hr', 'input', 'path', 'line', 'rect', 'circle']);

/** Returns tags that are not closed in order, which is enough to find markup that was not escaped. */
function unbalanced(html: string): string[] {
  const stack: string[] = [];
  const wrong: string[] = [];
  const text = html.replaceAll(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, '');
  for (const [, close, name, , selfClosed] of text.matchAll(
    /<(\/?)([a-zA-Z][\w-]*)((?:"[^"]*"|[^">])*?)(\/?)>/g,
  )) {
    if (name === undefined || selfClosed === '/' || (voids.has(name) && close === '')) continue;
    if (close === '') stack.push(name);
    else if (voids.has(name)) continue;
    else if (stack.pop() !== name) wrong.push(name);
  }
  return [...wrong, ...stack];
}

test('the report of an explained run has a chapter with the parts of its time and a chart; others have none', async () => {
  const explanation = { record: testExplanation(), next: 'collbench allreduce --algo direct', whole: null };
  const run = { ...syntheticRun({ maxBytes: 64 }), explanation: async () => explanation };
  const { html, figures } = await buildPage([run]);
  const [, chapter = ''] =
    /<section id="explanation">([\s\S]*?)<section id="(?!explanation)/.exec(html) ?? [];
  assert.match(chapter, /^<h2>\d+ Why allreduce is not faster<\/h2>/);
  assert.match(chapter, /<h3>allreduce, 64 KiB, 2 ranks, socket@ring: 1\.00 ms, 2\.0 times the bound/);
  assert.match(chapter, /Next: <code>collbench allreduce --algo direct<\/code>/);
  assert.ok(figures.some(({ figure }) => figure.name.startsWith('explain-eeee05')));
  assert.deepEqual(unbalanced(html), []);
  assert.doesNotMatch((await smallPage()).html, /id="explanation"/);
});

test('a virtual machine is named once, with its hypervisor where that has a name', async () => {
  const run = syntheticRun({ maxBytes: 64 });
  for (const [virtualization, named] of [
    ['KVM', /, virtual machine \(KVM\)/],
    ['virtual machine', /, virtual machine(?! \()/],
  ] as const) {
    for (const inventory of Object.values(run.record.inventory)) inventory.virtualization = virtualization;
    const { html } = await buildPage([run]);
    assert.match(html, named);
  }
});

test('what was measured again is marked in its table, and explained there and under the method', async () => {
  const { html } = await buildPage([syntheticRetriedRun()]);
  const marked = [...html.matchAll(/<td[^>]*>\*[\d.,]+<\/td>/g)];
  assert.equal(marked.length, 2);
  assert.match(html, /<caption>.*\* 2 disturbed configurations measured again: 1 replaced .*<\/caption>/);
  assert.match(html, /<b>Disturbed configurations\.<\/b> 2 disturbed configurations measured again: /);
  const { html: other } = await smallPage();
  assert.doesNotMatch(other, /measured again: |<td[^>]*>\*/);
});

test('a run that waited for quiet hosts, was resumed, or both: a paragraph for each, and none for what did not happen', async () => {
  const waits = [{ at: '2026-11-21T09:00:00.000Z', seconds: 120, isQuiet: true, busyCores: {} }];
  const resumed = [
    {
      at: '2026-11-21T09:05:00.000Z',
      ...{ cellsBefore: 2, blocksBefore: 8, collbenchVersion: '', agentVersion: '', differences: [] },
      before: { state: 'interrupted' as const, endedAt: null, failures: [] },
    },
  ];
  const methodOf = async (parts: { waits?: typeof waits; resumed?: typeof resumed }) => {
    const run = syntheticRun({ maxBytes: 64 });
    const { html } = await buildPage([{ ...run, record: { ...run.record, ...parts } }]);
    const waited = html.includes('<p><b>Quiet hosts.</b> The run waited 2 min for quiet machines.</p>');
    const again = /<p><b>Resumed\.<\/b> resumed 2026-11-21 09:05 .* were measured again with all/.test(html);
    return { waited, again };
  };
  assert.deepEqual(await methodOf({}), { waited: false, again: false });
  assert.deepEqual(await methodOf({ waits }), { waited: true, again: false });
  assert.deepEqual(await methodOf({ resumed }), { waited: false, again: true });
  assert.deepEqual(await methodOf({ waits, resumed }), { waited: true, again: true });
});

test('the folder gets report.html, an SVG and a CSV of each figure, and nothing half-written', async () => {
  const out = folder();
  const written = await writeReport([syntheticRun({ maxBytes: 4096 })], out);
  assert.equal(written.html, join(out, 'report.html'));
  assert.deepEqual(readdirSync(out).sort(), ['figures', 'report.html']);
  assert.deepEqual(
    readdirSync(join(out, 'figures')).sort(),
    written.figures.map((f) => parse(f).base).sort(),
  );
  // Algorithm bandwidth has no chart, because at two ranks it equals bus bandwidth.
  assert.equal(written.figures.length, 10);
  const html = readFileSync(written.html, 'utf8');
  for (const path of written.figures) assert.ok(html.includes(`href="figures/${parse(path).base}"`), path);
});

test('CSV files carry full precision, the unit in the name and the medium in each row', async () => {
  const out = folder();
  const run = syntheticRun({ maxBytes: 64 });
  const { figures } = await writeReport([run], out);
  const path = figures.find((f) => f.endsWith('busbw.csv'));
  const [head, first, ...rest] = readFileSync(path ?? '', 'utf8')
    .trim()
    .split('\n');
  assert.equal(head, 'series,transport,medium,payloadBytes,timeNs,lowNs,highNs,algGBps,busGBps');
  assert.equal(rest.length, 7);
  const [cell] = run.cells;
  assert.ok(cell?.status === 'ok' && first !== undefined);
  assert.ok(first.split(',').includes(String(measuredOf(cell, 'latency')?.value)));
  assert.equal(rest.filter((l) => l.includes(',emulated,')).length, 4);
});

test('a run without the first kind of chart of its workload has another one on the first screen', async () => {
  const run = syntheticRun({ maxBytes: 64 });
  const { plan } = run.record;
  const workloads = plan.workloads.map((row) => {
    const [rate] = derivedRows(row);
    assert.ok(rate !== undefined);
    // No configuration has this rate.
    return { ...row, figures: [{ ...rate, name: 'unknown', isCharted: true }, ...row.figures] };
  });
  const { html } = await buildPage([{ ...run, record: { ...run.record, plan: { ...plan, workloads } } }]);
  assert.match(html.slice(0, html.indexOf('<nav')), /<figure id="figure-1">/);
});

test('a workload of its own: charts and CSV files by its row, no bandwidth where there is none', async () => {
  const waits = await buildPage([nullRun()]);
  assert.deepEqual(
    waits.figures.map(({ figure }) => figure.name),
    ['null-time', 'null-launches'],
  );
  assert.deepEqual(Object.keys(waits.figures[0]?.figure.rows[0] ?? {}).slice(3), [
    'waitNs',
    'timeNs',
    'lowNs',
    'highNs',
  ]);
  assert.match(
    waits.html,
    /Null was measured with the toy engine at 5 waits from 1 µs to 10 ms, over socket/,
  );
  assert.doesNotMatch(waits.html, /GB\/s|<b>Bandwidth|id="(averages|models)"|nccl-tests/);
  const puts = await buildPage([p2pRun(64)]);
  const [first] = puts.figures;
  assert.equal(first?.figure.name, 'put-uni-w1-bandwidth');
  assert.match(first.figure.caption, /^Bytes of all pairs together per second; t is the median interval of/);
  const names = puts.figures.map(({ figure }) => figure.name);
  for (const chart of ['time', 'rate', 'ratio', 'launches'])
    assert.ok(names.includes(`put-uni-w16-${chart}`));
  assert.deepEqual(Object.keys(first.figure.rows[0] ?? {}).slice(3), [
    'payloadBytes',
    'timeNs',
    'lowNs',
    'highNs',
    'bandwidthGBps',
    'messagePerS',
  ]);
  assert.match(puts.html, /messages that all pairs move at once \(put 1 at 2 ranks, put 16 at 2 ranks and/);
  assert.doesNotMatch(puts.html, /collective|nccl-tests|undefined|NaN/);
});

test('the policy allows exactly the style and the script of the page, and no network', async () => {
  const { html } = await smallPage();
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1]?.replaceAll('&#39;', "'") ?? '';
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
  const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '';
  assert.ok(style.length > 100 && script.length > 100);
  assert.ok(
    script.length < 15_000,
    `the script has ${script.length} letters: a page without figures has them as well`,
  );
  assert.ok(policy.startsWith("default-src 'none';"));
  assert.ok(policy.includes(`style-src ${hash(style)};`));
  assert.ok(policy.includes(`script-src ${hash(script)};`));
  assert.doesNotMatch(policy, /unsafe|https?:/);
  assert.doesNotMatch(
    html.replaceAll(/xmlns[^ >]*/g, ''),
    /<(img|link|iframe)\b|\bsrc=|@import|\sstyle=|\son\w+="/,
  );
});

test('text of machines and logs is shown, never obeyed', async () => {
  const run = syntheticTroubledRun();
  run.record.environment = { NCCL_X: '"><svg onload=alert(1)>', 'SOFTNTB_<b>': '</dl>' };
  run.record.plan.command = ['collbench', '</script><script>alert(1)</script>', "it's"];
  run.record.versions = { agent: '<!--' };
  const { html } = await buildPage([run]);
  assert.ok(html.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
  assert.doesNotMatch(html, /<script>alert|<img src=x|<svg onload/);
  assert.deepEqual(unbalanced(html), []);
});

const words = (html: string) =>
  html
    .replaceAll(/<script[\s\S]*?<\/script>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
const firstScreen = (html: string) => html.slice(html.indexOf('<h1>'), html.indexOf('<div class="hero">'));
const idsOf = (html: string) => [...html.matchAll(/<section id="([^"]+)"><h2>/g)].map(([, id]) => id);

test('the first screen says what was measured and how far to trust it, in badges that lead to their chapters', async () => {
  const { html } = await plainPage();
  const text = words(firstScreen(html));
  assert.match(text, /Allreduce over socket and sisci \(emulated\)/);
  assert.match(text, /28 sizes from 8 B to 1 GiB/);
  const badges = [...html.matchAll(/<li class="is-(\w+)"><a href="#([\w-]+)">([^<]*)<\/a><\/li>/g)];
  assert.deepEqual(
    badges.map(([, kind, to, badge]) => `${kind} ${to}: ${badge}`),
    [
      'good evidence: verified 1,344 checks, 0 wrong',
      'good evidence: confirmed ✓ socket and sisci',
      'warn method: EMULATED sisci',
      'good findings: flagged 0 of 56',
      'note distribution: typical interval ±0.8 %',
    ],
  );
  assert.match(text, /verdict over latency at 8.B, µs ± bus bw at 1.GiB, GB\/s/);
  assert.match(text, /confirmed sisci emulated 0\.518 1\.1 % 4\.33/);
  assert.match(html.slice(0, html.indexOf('<nav')), /<figure id="figure-1">/);
});

test('five questions are answered on the first screen', async () => {
  const { html } = await plainPage();
  const asked = [...firstScreen(html).matchAll(/<dt>(.*?)<\/dt><dd>([\s\S]*?)<\/dd>/g)];
  const answers = Object.fromEntries(asked.map(([, q = '', a = '']) => [words(q).trim(), words(a).trim()]));
  const expected: Record<string, RegExp> = {
    'Which is faster, from which size?': /^sisci is faster at every size\.$/,
    'By how much, how sure?':
      /^sisci 9\.1x ±1\.\d % at 8 B, 3\.9x ±1\.\d % at 1 GiB\. .*±0\.8 %.*2 launches\. .*says nothing about a real adapter\.$/,
    'Is it good for this machine?': /^Not known\. No link rate is known for socket/,
    'Did it use the hardware asked for?':
      /^In part\. socket confirmed \(lo carried 6\.44 GB, .*sisci ran on a software device, no card; confirmed \(/,
    'What changed since the last run?': /^Not known\. No earlier run of these series/,
  };
  assert.deepEqual(Object.keys(answers), Object.keys(expected));
  for (const [question, answer] of Object.entries(expected)) assert.match(answers[question] ?? '', answer);
});

test('how sure: figures without an interval are counted, and the parenthesis is closed', async () => {
  const run = syntheticRun({ maxBytes: 4096 });
  const [first, ...others] = run.cells;
  assert.ok(first?.status === 'ok');
  const without = { interval: null, intervalReason: 'too few samples' };
  run.cells = [withFigures(first, (one) => ({ ...one, ...without })), ...others];
  const { html } = await buildPage([run]);
  const text = words(firstScreen(html));
  assert.match(text, /sisci \d\.\dx \(no interval\) at 8 B, 5\.\dx ±/, 'a bare ratio would look certain');
  assert.match(text, /\(best ±[^()]*; \d+ of \d+ figures without one\); 2 launches\./);
});

test('with a last run the first screen says what changed since, by series and with what differs', async () => {
  const before = syntheticRun({ id: 'aaaaaa', maxBytes: 4096 });
  const now = syntheticRun({ id: 'bbbbbb', maxBytes: 4096 });
  now.cells = now.cells.map((cell) =>
    cell.status === 'ok' && cell.transport === 'socket'
      ? withFigures(cell, (one) => ({
          ...slower(one, 1.3),
          launchValues: one.launchValues.map((value) => value * 1.3),
        }))
      : cell,
  );
  now.record.versions = { ...now.record.versions, agent: '0.2.0' };
  const { pairs } = compareRuns([before, now]);
  const [pair] = pairs;
  assert.ok(pair);
  const last = { run: before as unknown as LoadedRun, pair };
  const { html } = await buildPage([now], { last, references: [] });
  const text = words(firstScreen(html));
  assert.match(text, /since last run confirmed socket .* slower by up to \d+ % at \d+ of 10 /);
  assert.match(text, /What changed since the last run\? Slower\. .*\(run aaaaaa, 2026-11-21 10:00 UTC\)/);
  assert.match(text, /Different: .*agent 0\.1\.0 → 0\.2\.0/);
});

test('one transport alone is not excused: its bandwidth, evidence and intervals are there', async () => {
  const { html } = await buildPage([syntheticRun({ transports: [socketPlan], maxBytes: 4096 })]);
  const text = words(firstScreen(html));
  assert.match(text, /Only socket was measured; --transport with several names/);
  assert.match(text, /confirmed socket 4\.71/);
  assert.doesNotMatch(text, /One series was measured/);
});

test('chapters come in one order, each once, and everything on the page can be linked to', async () => {
  const order = [
    'parts',
    'latency',
    'bandwidth',
    'all',
    'crossover',
    'algorithms',
    'ranks',
    'distribution',
    'load',
    'evidence',
    'machine',
    'findings',
    'method',
    'reproduce',
  ];
  for (const run of [syntheticRun({ maxBytes: 4096 }), ncclRun({ maxBytes: 4096 }), nullRun(), p2pRun(64)]) {
    const { html } = await buildPage([run]);
    const ids = idsOf(html);
    assert.deepEqual(
      ids,
      order.filter((id) => ids.includes(id)),
    );
    for (const id of [
      'latency',
      'all',
      'distribution',
      'evidence',
      'machine',
      'findings',
      'method',
      'reproduce',
    ])
      assert.ok(ids.includes(id), id);
    const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    assert.ok(targets.length > 8);
    for (const target of targets) assert.ok(html.includes(`id="${target}"`), target);
  }
});

test('no figure is drawn twice: where the factor is 1, algorithm bandwidth is the bus bandwidth', async () => {
  const two = await buildPage([syntheticRun({ maxBytes: 4096 })]);
  const names = two.figures.map(({ figure }) => figure.name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(!names.some((name) => name.endsWith('-algbw')), names.join());
  assert.match(words(two.html), /Algorithm bandwidth is the bus bandwidth: the factor is 1\./);
  const four = await buildPage([syntheticRun({ ranks: 4, maxBytes: 4096 })]);
  assert.ok(four.figures.some(({ figure }) => figure.name.endsWith('-algbw')));
});

test('a column has one unit, in its head; a verdict is first', async () => {
  const { html } = await plainPage();
  const table = /<table>\s*<caption><b>Table \d+\. All configurations[\s\S]*?<\/table>/.exec(html)?.[0] ?? '';
  const heads = [...table.matchAll(/<th [^>]*>([^<]*)<\/th>/g)].map(([, head]) => head);
  assert.equal(heads[0], 'verdict');
  assert.ok(heads.includes('time, µs') && heads.includes('bus bw, GB/s'), heads.join());
  const cells = [...table.matchAll(/<td class="n">([^<]*)<\/td>/g)].map(([, text]) => text ?? '');
  assert.ok(cells.length > 300);
  assert.deepEqual(
    cells.filter((text) => /[µmn]s$|B\/s$/.test(text)),
    [],
  );
});

test('every sisci row of the table says emulated, and what went wrong is listed with its reason', async () => {
  const { html } = await buildPage([syntheticTroubledRun()]);
  const cells = html.slice(html.indexOf('All configurations of'), html.indexOf('<section id="crossover">'));
  const rows = [...cells.matchAll(/<tr class="[^"]*"[^>]*>[\s\S]*?<\/tr>/g)]
    .map(([row]) => row)
    .filter((r) => />sisci</.test(r));
  assert.equal(rows.length, 22);
  for (const row of rows) assert.match(row, />emulated</);
  const findings = html.slice(html.indexOf('<section id="findings">'), html.indexOf('<section id="method">'));
  for (const word of [
    'rank-died',
    'failed',
    'wrong data',
    'evidence contradicted',
    'flag few-launches',
    'skipped',
    'not measured',
    'warning',
  ]) {
    assert.ok(findings.includes(`<td class="t">${word}`), word);
  }
});

test('a flag that many series share is one line that counts them', async () => {
  const run = syntheticRun({ collectives: ['allreduce', 'broadcast', 'allgather', 'reduce'], maxBytes: 64 });
  run.cells = run.cells.map((cell) =>
    cell.status === 'ok' ? { ...cell, flags: [{ name: 'cpu-busy', level: 'disturbs', reason: null }] } : cell,
  );
  const { html } = await buildPage([run]);
  const found = html.slice(html.indexOf('<section id="findings">'), html.indexOf('<section id="method">'));
  assert.equal(found.split('<td class="t">flag cpu-busy').length - 1, 1);
  assert.match(found, /32 configurations in 8 series \(allreduce [^)]*, \.\.\.\), /);
});

test('ids are unique, also those inside the charts', async () => {
  const { html } = await buildPage([syntheticRun({ collectives: ['allreduce', 'allgather'], maxBytes: 64 })]);
  const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(
    ids.filter((id, i) => ids.indexOf(id) !== i),
    [],
  );
});

test('rows and specification of each chart are in the page, whole, and what charts share stands once', async () => {
  const { html, figures } = await smallPage();
  const texts = [...html.matchAll(/<script type="application\/json" id="data-[^"]+">([^<]*)<\/script>/g)].map(
    ([, json = '']) => json,
  );
  assert.equal(texts.length, figures.length);
  const found = unpackFigures(texts);
  for (const [i, { figure }] of figures.entries()) {
    assert.deepEqual(found[i]?.rows(), figure.rows);
    assert.deepEqual(rounded(found[i]?.spec()), rounded(figure.spec('wide')));
  }
  assert.equal(html.split('"labelFontSize":12,"titleFontSize"').length, 2);
});

/** Rounds numbers to the precision of a drawing, and drops null fields, because columns store missing values as null. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, one) => {
    if (typeof one === 'number') return Number(one.toPrecision(6));
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).filter(([, field]) => field !== null));
  });

test('several runs become series named by run; a run without any cell still has a report', async () => {
  const two = await buildPage([
    syntheticRun({ id: 'aaaaaa', maxBytes: 64 }),
    syntheticRun({ id: 'bbbbbb', maxBytes: 64 }),
  ]);
  assert.match(two.html, /aaaaaa socket \(TCP over lo\)/);
  assert.match(two.html, /bbbbbb sisci \(emulated, softntb link none\)/);
  const empty = syntheticRun({ maxBytes: 64 });
  empty.cells = [];
  empty.record.state = 'interrupted';
  empty.record.endedAt = null;
  const page = await buildPage([empty]);
  assert.deepEqual(page.figures, []);
  assert.match(page.html, /<td class="t">not measured<\/td><td class="t">8 configurations<\/td>/);
});

test('a place that cannot be written is named, with what to do', async () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  await assert.rejects(
    writeReport([syntheticRun({ maxBytes: 8 })], join(file, 'below')),
    /cannot write .*below: part of the path is a file; choose another folder with --out\. The measured configurations are kept/,
  );
});
