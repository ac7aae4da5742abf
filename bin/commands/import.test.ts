import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../results/package.ts';

const command = path.join(packageRoot, 'bin', 'collbench');
const fixtures = path.join(packageRoot, 'results', 'import', 'fixtures');
const inFolder = (
  work: (call: (words: string[], input?: string) => ReturnType<typeof spawnSync>, folder: string) => void,
) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-import-'));
  try {
    work((words, input = '') => spawnSync(command, words, { cwd: folder, input, encoding: 'utf8' }), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

test('an imported run can be shown, exported and reported, and says that nothing was measured here', () => {
  inFolder((call, folder) => {
    const file = path.join(fixtures, 'nccl-tests-json-3-made.json');
    const ended = call(['import', file, '--label', 'monday', '--out', 'run']);
    assert.equal(ended.status, 0, String(ended.stderr));
    assert.match(
      String(ended.stdout),
      /12 configurations of nccl-tests, NCCL 2\.30\.7[\s\S]*not stated: .*transport/,
    );
    assert.match(String(call(['runs', '--root', '.']).stdout), /complete +12\/12 .*imported from nccl-tests/);
    const shown = String(call(['show', 'run']).stdout);
    assert.match(shown, /imported from nccl-tests, NCCL 2\.30\.7, nccl-tests-json-3-made\.json/);
    assert.doesNotMatch(shown, /plan: 1 launch|hardware/);
    assert.equal(
      String(call(['export', 'run']).stdout)
        .trimEnd()
        .split('\n').length,
      13,
    );
    const reported = call(['report', 'run']);
    assert.equal(reported.status, 0, String(reported.stderr));
    const report = readFileSync(path.join(folder, 'run', 'report.html'), 'utf8');
    assert.match(report, /collbench measured nothing/);
    assert.match(report, /There are no intervals/);
    assert.doesNotMatch(report, /The ranks agree on a start|Bands are 95/);
    const files = readdirSync(path.join(folder, 'run'), { recursive: true, withFileTypes: true });
    for (const entry of files.filter((one) => one.isFile())) {
      const text = readFileSync(path.join(entry.parentPath, entry.name), 'utf8');
      assert.doesNotMatch(text, /hunter2/, entry.name);
    }
    assert.match(String(call(['resume', 'run']).stderr), /was imported from nccl-tests/);
  });
});

test('a trace becomes a run that can be replayed; the trace itself can be, too', () => {
  inFolder((call, folder) => {
    const file = path.join(fixtures, 'kineto-torch-2.11-2xH200-socket-resnet50.json');
    const ended = call(['import', file, '--out', 'run']);
    assert.equal(ended.status, 0, String(ended.stderr));
    assert.match(String(ended.stdout), /a job to replay: 7 collectives[\s\S]*Next: .*collbench replay run/);
    const job = JSON.parse(readFileSync(path.join(folder, 'run', 'job.json'), 'utf8'));
    assert.equal(job.name, 'kineto-torch-2.11-2xH200-socket-resnet50');
    for (const word of ['run', file]) {
      const planned = call(['replay', word, '--transport', 'socket', '--plan-only', '--json']);
      assert.equal(planned.status, 0, String(planned.stderr));
      assert.match(String(planned.stdout), /kineto-torch-2\.11-2xH200-socket-resnet50@[0-9a-f]{8}/);
    }
  });
});

test('from stdin; exit code 3 where the program found wrong data, 2 where its output is not whole', () => {
  inFolder((call) => {
    const wrong = readFileSync(path.join(fixtures, 'nccl-tests-2.17.9-wrong-data-made.txt'), 'utf8');
    const found = call(['import', '-', '--out', 'wrong'], wrong);
    assert.equal(found.status, 3, String(found.stderr));
    assert.match(String(found.stderr), /found wrong data, in 2 of 12/);
    const whole = readFileSync(path.join(fixtures, 'nccl-tests-2.17.9-alltoall-made.txt'), 'utf8');
    const cut = call(['import', '-', '--out', 'cut', '--json'], whole.slice(0, -200));
    assert.equal(cut.status, 2);
    assert.equal(JSON.parse(String(cut.stdout)).state, 'incomplete');
  });
});

test('where an option would do, the next step is the command with it, and works', () => {
  inFolder((call, folder) => {
    const text = readFileSync(path.join(fixtures, 'nccl-tests-2.17.9-alltoall-made.txt'), 'utf8');
    const unnamed = text.replaceAll(/^.*alltoall.*\n/gim, '');
    writeFileSync(path.join(folder, 'unnamed log.txt'), unnamed);
    const refused = call(['import', 'unnamed log.txt', '--label', 'a b']);
    assert.equal(refused.status, 2, String(refused.stdout));
    const [, next = ''] = /\nNext: collbench (.*)\n$/.exec(String(refused.stderr)) ?? [];
    assert.match(next, /^import 'unnamed log\.txt' --label 'a b' --collective \w+$/, String(refused.stderr));
    const words = [...next.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const ended = call(words);
    assert.equal(ended.status, 0, String(ended.stderr));
  });
});

test('what cannot be imported: the value, what is allowed, the way out; nothing is begun', () => {
  inFolder((call, folder) => {
    const osu = path.join(fixtures, 'osu-7.4-allreduce-4-ranks.txt');
    for (const [words, pattern, code = 1] of [
      [['nowhere.txt'], /nowhere\.txt: there is no such file[\s\S]*- for stdin/, 2],
      [['.'], /is a folder/, 2],
      [[osu], /does not print how many ranks[\s\S]*the same command with --ranks N/, 2],
      [[osu, '--ranks', 'many'], /--ranks many[\s\S]*allowed: 1 to/],
      [
        [osu, '--format', 'ocu'],
        /--format ocu[\s\S]*allowed: nccl-tests, [\s\S]*Next: collbench import .*--format osu/,
      ],
      [[osu, '--ranks', '4', '--label', 'a@b'], /--label a@b: [\s\S]*no @/],
    ] as const) {
      const ended = call(['import', ...words]);
      assert.equal(ended.status, code, `${words}: ${ended.stdout}`);
      assert.match(String(ended.stderr), pattern);
      assert.doesNotMatch(String(ended.stderr), /\n\s+at /);
    }
    const unknown = call(['import', '-'], 'hello\n');
    assert.match(String(unknown.stderr), /of no program that can be imported[\s\S]*osu: no line "# OSU/);
    assert.deepEqual(readdirSync(folder), []);
  });
});
