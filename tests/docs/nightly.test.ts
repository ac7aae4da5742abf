import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { command, root, skipUnless, start } from '../e2e/harness.ts';
import { blocksOf } from './blocks.ts';

const blocks = await blocksOf('guide/nightly.md');
const named = (ending: string) => {
  const found = blocks.find(({ file }) => file.endsWith(ending));
  assert.ok(found !== undefined, `no block for a file ${ending}`);
  return found.text;
};
const run = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: 'utf8' });
const hasSystemd = run('systemd-analyze', '--version').status === 0;

test('the units are what systemd understands', {
  skip: skipUnless(hasSystemd, 'systemd-analyze is not there'),
}, async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-units-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const files: string[] = [];
  for (const ending of ['.service', '.timer']) {
    const file = path.join(folder, `collbench-nightly${ending}`);
    const text = named(ending)
      .replaceAll('/usr/local/bin/collbench-notify', '/bin/true')
      .replaceAll('/usr/local/bin/collbench', command);
    await writeFile(file, text);
    files.push(file);
  }
  const { status, stdout, stderr } = run('systemd-analyze', 'verify', '--man=no', ...files);
  const said = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(folder));
  assert.deepEqual([status, said], [0, []], stderr);
  const when = /^OnCalendar=(.*)$/m.exec(named('.timer'))?.[1] ?? '';
  assert.equal(run('systemd-analyze', 'calendar', when).status, 0);
});

/** Checks five cron fields: each is `*` or a number within the range of crontab(5). */
function assertCron(fields: string): void {
  const ranges = [
    [0, 59],
    [0, 23],
    [1, 31],
    [1, 12],
    [0, 7],
  ] as const;
  const parts = fields.trim().split(/\s+/);
  assert.equal(parts.length, 5, fields);
  for (const [i, part] of parts.entries()) {
    const [low, high] = ranges[i] as readonly [number, number];
    const isFine = part === '*' || (/^\d+$/.test(part) && Number(part) >= low && Number(part) <= high);
    assert.ok(isFine, `${part} in ${fields}`);
  }
}

function assertShell(text: string): void {
  const { status, stderr } = run('bash', '-n', '-c', text);
  assert.equal(status, 0, stderr);
}

test('the cron line has five fields, a command of the shell, and no % of its own', () => {
  const text = blocks.find(({ language }) => language === 'crontab')?.text ?? '';
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(lines.length, 1);
  const [, fields = '', words = ''] = /^((?:\S+\s+){5})(.*)$/.exec(lines[0] ?? '') ?? [];
  assertCron(fields);
  assertShell(words);
  // cron(8) replaces each % by a line break.
  assert.doesNotMatch(words, /%/);
});

test('the workflow is YAML with a schedule, and its scripts are those of a shell', () => {
  const workflow = parse(named('collbench-nightly.yml'));
  for (const { cron } of workflow.on.schedule) assertCron(cron);
  const { steps } = workflow.jobs.nightly;
  const scripts = steps.flatMap((step: { run?: string }) => (step.run === undefined ? [] : [step.run]));
  assert.equal(scripts.length, 2);
  assert.match(scripts[0], /NOT CONFIRMED/, 'something that looks much slower is no success');
  for (const script of scripts) assertShell(script);
  for (const { uses } of steps) if (uses !== undefined) assert.match(uses, /^[\w-]+\/[\w-]+@v\d+$/);
  const [job] = Object.values(parse(named('.gitlab-ci.yml'))) as {
    script: string[];
    after_script: string[];
  }[];
  for (const line of [...(job?.script ?? []), ...(job?.after_script ?? [])]) assertShell(line);
});

const action = await readFile(path.join(root, 'examples/github-action/action.yml'), 'utf8');

test('the composite action has the fields that GitHub requires, uses all of its inputs, and pastes none into a script', () => {
  const { name, description, inputs, outputs, runs } = parse(action);
  assert.ok([name, description].every((text) => typeof text === 'string'));
  assert.equal(runs.using, 'composite');
  for (const one of [...Object.values(inputs), ...Object.values(outputs)] as Record<string, unknown>[])
    assert.equal(typeof one.description, 'string');
  const values = JSON.stringify(runs.steps.map((step: { env: object }) => step.env));
  for (const input of Object.keys(inputs)) assert.ok(values.includes(`inputs.${input} `), input);
  const ids = runs.steps.map(({ id }: { id?: string }) => id);
  for (const { value } of Object.values(outputs) as { value: string }[])
    assert.ok(ids.includes(/steps\.(\w+)\./.exec(value)?.[1]), value);
  for (const { shell, run: script } of runs.steps) {
    assert.equal(shell, 'bash');
    assertShell(script);
    assert.doesNotMatch(script, /\$\{\{/);
  }
});

test('the action ends with the exit code of the gate; only a night that did not pass notifies, in one line with a link', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-action-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const fake =
    'while [ $# -gt 0 ]; do [ "$1" = --markdown ] && printf "%s\\n" "### $LINE" >"$2"; shift; done; exit $CODE';
  await writeFile(path.join(folder, 'collbench'), `#!/bin/sh\n${fake}\n`, { mode: 0o755 });
  const night = (code: string, line: string) =>
    spawnSync('bash', ['-e', '-o', 'pipefail', '-c', parse(action).runs.steps[0].run], {
      encoding: 'utf8',
      cwd: folder,
      env: {
        ...{
          ...process.env,
          PATH: `${folder}:${process.env.PATH}`,
          CODE: code,
          LINE: line,
          RUNNER_TEMP: folder,
        },
        ...{ GITHUB_STEP_SUMMARY: path.join(folder, 'summary'), GITHUB_OUTPUT: path.join(folder, 'output') },
        ...{
          SUITE: 'nightly',
          ROOT: 'runs',
          BASELINES: 'baselines',
          SITE: '',
          LINK: 'https://ci/1',
          NOTIFY: 'cat',
        },
      },
    });
  const red = night('4', 'nightly: REGRESSION: 1 of 4');
  assert.deepEqual([red.status, red.stdout], [4, 'nightly: REGRESSION: 1 of 4 https://ci/1\n'], red.stderr);
  const green = night('0', 'nightly: PASS');
  assert.deepEqual([green.status, green.stdout], [0, ''], green.stderr);
  assert.match(await readFile(path.join(folder, 'output'), 'utf8'), /^comment=.*collbench\.md$/m);
});

test('every command on the page is one, with options that it has', async () => {
  const text = [...blocks.map((block) => block.text), action]
    .map((one) => one.replaceAll('\\\n', ' '))
    .join('\n');
  const lines = [
    ...text.matchAll(/collbench (suite|export|history|compare|baseline|site|prune|doctor) ([^\n|>&;]*)/g),
  ];
  assert.ok(lines.length >= 10);
  const help = new Map<string, string>();
  for (const [whole, name = '', words = ''] of lines) {
    const known = help.get(name) ?? (await start([name, '--help']).ended).stdout;
    help.set(name, known);
    for (const [option] of words.matchAll(/--[\w-]+/g))
      assert.ok(new RegExp(`${option}\\b`).test(known), `${option} in: ${whole}`);
  }
});

/** Writes a script of the page, and fakes of the programs that it calls. Returns their folder and a function that runs it. */
async function scriptOf(
  t: { after(fn: () => Promise<void>): void },
  name: string,
  fakes: Record<string, string>,
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-script-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const text =
    name === 'collbench-metrics'
      ? await readFile(path.join(root, 'examples/prometheus', name), 'utf8')
      : blocks.find((block) => block.text.includes(`# /usr/local/bin/${name} `))?.text;
  assert.ok(text !== undefined, `no script ${name}`);
  await writeFile(path.join(folder, name), text);
  for (const [program, body] of Object.entries(fakes))
    await writeFile(path.join(folder, program), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const call = (...args: string[]) =>
    spawnSync('sh', [path.join(folder, name), ...args], { encoding: 'utf8', cwd: folder, env });
  return { folder, call };
}

test('the notification is silent only after a pass, and says what looks much slower', async (t) => {
  const { folder, call } = await scriptOf(t, 'collbench-notify', { mail: 'echo "$2"' });
  const verdict = path.join(folder, 'gate.md');
  const subjectOf = async (code: string, line: string) => {
    await writeFile(verdict, `### nightly: ${line}\n\nmore\n`);
    return call(code, verdict).stdout;
  };
  assert.equal(await subjectOf('0', 'PASS: none of 4 size ranges is slower.'), '');
  assert.match(
    await subjectOf('5', 'NOT CONFIRMED: up to 20x slower'),
    /^collbench warning \(exit code 5\): nightly: NOT CONFIRMED: up to 20x slower$/m,
  );
  assert.match(await subjectOf('4', 'REGRESSION: 1'), /^collbench alarm \(exit code 4\)/);
  assert.match(
    call('1', path.join(folder, 'none.md')).stdout + call('1', '/dev/null').stdout,
    /no verdict was written/,
  );
});

test('the metrics script writes the newest suite as one file, or leaves the old one where it cannot', async (t) => {
  const fake = 'echo "$@" >>calls; while [ "$1" != --out ]; do shift; done; echo ok >"$2"; [ ! -e fails ]';
  const { folder, call } = await scriptOf(t, 'collbench-metrics', { collbench: fake });
  const out = path.join(folder, 'collector');
  await mkdir(out);
  const { status, stderr } = call('/runs', out);
  assert.equal(status, 0, stderr);
  assert.deepEqual(await readdir(out), ['collbench.prom']);
  assert.match(
    await readFile(path.join(folder, 'calls'), 'utf8'),
    /^export last --root \/runs --open-metrics /,
  );
  await writeFile(path.join(out, 'collbench.prom'), 'old\n');
  await writeFile(path.join(folder, 'fails'), '');
  assert.notEqual(call('/runs', out).status, 0);
  assert.equal(await readFile(path.join(out, 'collbench.prom'), 'utf8'), 'old\n');
});

test('what the page says of false alarms and delays is what was simulated', async () => {
  const [page, file] = await Promise.all(
    ['docs/guide/nightly.md', 'docs/generated/truth-history.json'].map((name) =>
      readFile(path.join(root, name), 'utf8'),
    ),
  );
  const { figures } = JSON.parse(file ?? '');
  const chance = (kind: number, nights: number): string => {
    const within = figures[kind].found[0].within.find((one: { nights: number }) => one.nights === nights);
    return (within.percent / 100).toFixed(2);
  };
  const text = (page ?? '').replaceAll(/\s+/g, ' ');
  assert.ok(text.includes(`after the second night if nights scatter by 1 % (probability ${chance(0, 2)}),`));
  assert.ok(text.includes(`after the fifth if they scatter by 2 % (${chance(1, 5)}).`));
  for (const kind of [0, 1]) assert.ok(figures[kind].falseAlarms.interval[1] < 1);
});
