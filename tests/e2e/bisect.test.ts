// test: up to 5 min
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { bisectionRecord } from '../../results/schema/index.ts';
import { run, start, withFolder } from './harness.ts';

/** Two files of options. */
async function withSettings(work: (folder: string, ends: string[]) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await writeFile(path.join(folder, 'good.yaml'), 'iters: 5\nseed: 1\n');
    await writeFile(path.join(folder, 'bad.yaml'), 'iters: 6\nseed: 2\nNCCL_NTHREADS: 64\n');
    await work(folder, ['--good', 'good.yaml', '--bad', 'bad.yaml']);
  });
}

function recordIn(folder: string) {
  const runs = path.join(folder, 'collbench-runs');
  const [name = ''] = readdirSync(runs).filter((one) => one.includes('-bisect-'));
  const file = (one: string) => readFileSync(path.join(runs, name, one), 'utf8');
  const record = bisectionRecord.parse(JSON.parse(file('bisection.json')));
  return { dir: path.join(runs, name), record, page: file('bisection.html') };
}

test('a wrong command line is refused before anything is measured', async () => {
  await withSettings(async (folder, ends) => {
    const refused = async (words: string[], text: RegExp, code = 1) => {
      const ended = await run(['bisect', ...words], { cwd: folder });
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, text);
      assert.match(ended.stderr, /\nNext: /);
    };
    await refused(ends, /the command after -- is missing/);
    await refused([...ends, '--', 'alreduce'], /'alreduce' is no measuring command/);
    await refused([...ends, '--', 'null', '--launches', '2'], /--launches has no effect/);
    await refused(
      ['--good', 'good.yaml', '--bad', 'worse.yaml', '--', 'null'],
      /--bad worse.yaml: there is no such file/,
      2,
    );
    assert.deepEqual(readdirSync(folder).sort(), ['bad.yaml', 'good.yaml']);
  });
});

test('the slow one of several files is found; a bisection whose time was over resumes; every command knows it', async () => {
  await withFolder(async (folder) => {
    await writeFile(path.join(folder, 'good.yaml'), 'waits: 5000000\n');
    await writeFile(path.join(folder, 'bad.yaml'), 'waits: 60000000\nwarmup: 3\n');
    const call = async (words: string[], code = 0) => {
      const ended = await run(words, { cwd: folder });
      assert.equal(ended.code, code, `${words.join(' ')}: ${ended.stdout}${ended.stderr}`);
      return ended.stdout;
    };
    const measured = ['--', 'null', '--engine', 'toy', '--iters', '3'];
    const first = await call(
      ['bisect', '--good', 'good.yaml', '--bad', 'bad.yaml', '--budget', '15s', ...measured],
      5,
    );
    const { id, launches } = recordIn(folder).record;
    assert.match(first, /not found yet/);
    assert.match(first, new RegExp(`Next: collbench resume ${id}`));
    // A second session beside the first one is refused, and does not disturb it.
    const running = start(['resume', id], { cwd: folder });
    await running.sees(/each comparison: up to/);
    const second = await run(['resume', id], { cwd: folder });
    assert.equal(second.code, 2, second.stderr);
    assert.match(second.stderr, /is being written by process \d+ on /);
    assert.ok([0, 5].includes((await running.ended).code ?? -1));
    // Each session has the same short time, so it takes several.
    let text = '';
    for (let session = 0; session < 20 && !/found: /.test(text); session += 1)
      text = (await run(['resume', id], { cwd: folder })).stdout;
    const { dir, record, page } = recordIn(folder);
    assert.ok(record.launches > launches, text);
    assert.match(text, /found: waits=60000000 \(was 5000000\)/);
    assert.ok((record.stages[0]?.step?.ratio ?? 0) > 2, text);
    assert.match(page, /<svg/);
    assert.match(await call(['runs']), new RegExp(`^${id} .*bisection of null`, 'm'));
    assert.match(await call(['show', id]), /found: waits=/);
    assert.equal(JSON.parse(await call(['show', id, '--json'])).id, id);
    assert.match(await call(['report', id]), /bisection\.html/);
    await call(['export', id, '--csv'], 2);
    // Its folder was removed, or the results were copied from another machine.
    await writeFile(path.join(dir, 'bisection.json'), JSON.stringify({ ...record, folder: '/absent' }));
    const gone = await run(['resume', id], { cwd: folder });
    assert.equal(gone.code, 2, gone.stderr);
    assert.match(gone.stderr, /began in \/absent, which is not there/);
    assert.match(gone.stderr, /\nNext: collbench show /);
    assert.match(await call(['rm', id]), /removed .*-bisect-null-/);
  });
});
