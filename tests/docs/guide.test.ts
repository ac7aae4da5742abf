// test: up to 3 min
// The commands of README and of every page of docs/guide run as they are printed. Words behind ```console say how:
//   (none)       a command that measures only plans; every other command runs
//   run          commands that measure do so, with small messages and few samples
//   needs=THING  a test machine may lack THING: the command runs, or is refused because THING is missing
//   exit=N,N     exit codes that the page announces, or that depend on the machine
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { writeNight } from '../../results/testing/nights.ts';
import { plannings } from '../../suites/workloads/index.ts';
import { command, root, withFolder } from '../e2e/harness.ts';
import { fake, fakeNvshmem } from '../e2e/support/fakes.ts';

const pages = readdirSync(path.join(root, 'docs/guide')).filter((name) => name.endsWith('.md'));
const measuring = new Set(plannings.flatMap(({ commands }) => commands.map(({ name }) => name)));

/** Patterns of the messages with which a command is refused (exit code 2), for each THING of `needs=THING`. */
const reasons: Record<string, RegExp> = {
  gpu: /GPU|nccl-tests|libnccl|NVSHMEM|CUDA/,
  hosts: /host|ssh|agent|resolve|kubectl|docker|nodes\.txt/i,
  slurm: /srun|Slurm|allocation/i,
  mpi: /mpirun|mpicc|MPI/,
  torch: /PyTorch|TensorFlow|python/i,
  adapter: /libsisci|libmlx5|libibverbs|adapter|ConnectX|device/i,
  plugin: /libnccl-net-x\.so|GPU/,
  job: /torchrun|mpirun/,
  measured: /link model|nothing is missing|complete/,
};

interface PageCommand {
  page: string;
  text: string;
  isMeasured: boolean;
  needs: string | null;
  exits: readonly number[];
}

/** Commands in the running text of README; they begin with `bin/`, as in a checkout. */
const readmeCommands = (): PageCommand[] =>
  [...readFileSync(path.join(root, 'README.md'), 'utf8').matchAll(/`bin\/(collbench [^`]*)`/g)].map(
    ([, text = '']) => ({
      page: 'README.md',
      text: text.startsWith('collbench suite') ? `${text} --plan-only` : text,
      isMeasured: false,
      needs: text.includes('--engine nccl') ? 'gpu' : null,
      exits: [0],
    }),
  );

function commandsOf(page: string): PageCommand[] {
  if (page === 'README.md') return readmeCommands();
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^```console(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, words = '', block = '']) =>
    [...block.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) => ({
      page,
      text: line,
      isMeasured: /\brun\b/.test(words),
      needs: /needs=(\w+)/.exec(words)?.[1] ?? null,
      exits: (/exit=([\d,]+)/.exec(words)?.[1] ?? '0').split(',').map(Number),
    })),
  );
}

/** Shell function that adds the options in EXTRA to commands that measure, which makes them short. */
const prelude = `collbench() {
  case " $MEASURING " in *" $1 "*) set -- "$1" $EXTRA "\${@:2}" ;; esac
  "$COLLBENCH" "$@"
}`;

interface GuideResult {
  code: number | null;
  text: string;
}

function runIn(folder: string, { text, isMeasured, needs }: PageCommand): Promise<GuideResult> {
  // The program that starts collbench (mpirun, srun) may be missing, so collbench is run without it.
  const line = needs === null ? text : text.slice(Math.max(0, text.indexOf('collbench ')));
  const small = line.replace(/(--max|-e|--sizes) \S+/g, '$1 1K').replace(/--ranks [4-9]/, '--ranks 3');
  const extra = isMeasured ? ['--iters', '2', '--launches', '1'] : ['--plan-only'];
  const isOnNccl = needs === 'gpu' && /--engine (nccl|nvshmem)/.test(line);
  const env = {
    ...process.env,
    NO_COLOR: '1',
    ...(needs === 'gpu' ? fakeNvshmem(folder, 4) : {}),
    XDG_CONFIG_HOME: path.join(folder, 'config'),
    COLLBENCH: command,
    MEASURING: [...measuring].join(' '),
    EXTRA: [...extra, ...(isOnNccl && existsSync(fake('nccl')) ? ['--nccl', fake('nccl')] : [])].join(' '),
  };
  const child = spawn('bash', ['-c', `${prelude}\n${isMeasured ? small : line}`], { cwd: folder, env });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text: output }));
  });
}

function assertEnded(asked: PageCommand, { code, text }: GuideResult): void {
  const { page, text: line, needs, exits } = asked;
  const what = `${page}: ${line}\n${text.slice(-2000)}`;
  if (exits.includes(code ?? -1)) return;
  assert.ok(needs !== null, `exit code ${code} of ${what}`);
  const reason = reasons[needs];
  assert.ok(reason !== undefined, `${page}: nobody knows what needs=${needs} means`);
  assert.equal(code, 2, what);
  assert.match(text, reason, what);
}

/** Creates what pages name: runs with these labels, recorded runs, and files. */
async function furnish(folder: string): Promise<void> {
  const labels = ['7f3a2c', '1b2c3d', '9e8f7a', 'monday', 'tuesday', 'main', 'branch'];
  for (const [night, label] of labels.entries())
    await writeNight(path.join(folder, 'collbench-runs'), { night, record: { label, tags: { rack: '7' } } });
  await cp(path.join(root, 'examples'), path.join(folder, 'examples'), { recursive: true });
  const from = path.join(root, 'results');
  await mkdir(path.join(folder, 'results/reference'), { recursive: true });
  for (const name of ['nccl-2-h200', 'train-2-h100', 'replay-2-h100'])
    await cp(path.join(from, 'reference', name), path.join(folder, 'results/reference', name), {
      recursive: true,
    });
  const fixture = (name: string, as: string) =>
    cp(path.join(from, 'import/fixtures', name), path.join(folder, as));
  await fixture('nccl-tests-2.19.6-2xH200-all_reduce.txt', 'all_reduce.txt');
  await fixture('osu-7.4-allreduce-4-ranks.txt', 'osu_allreduce.txt');
  await fixture('kineto-torch-2.11-2xH200-p2p-resnet50.json', 'trace.json');
  await writeFile(
    path.join(folder, 'trace.json.gz'),
    gzipSync(readFileSync(path.join(folder, 'trace.json'))),
  );
  await cp(path.join(from, 'reference/train-2-h100/job.json'), path.join(folder, 'job.json'));
  await writeFile(path.join(folder, 'mine.json'), '{"axis": {"labelFontSize": 8}}');
  await writeFile(path.join(folder, 'my_train.py'), 'print("trained")\n');
  await writeFile(path.join(folder, 'nodes.txt'), 'nowhere.invalid\n');
  await mkdir(path.join(folder, 'node_modules'));
  await symlink(root, path.join(folder, 'node_modules/collbench'));
}

for (const page of ['README.md', ...pages.map((name) => `docs/guide/${name}`)])
  test(`${page}: its commands run`, () =>
    withFolder(async (folder) => {
      const commands = commandsOf(page);
      if (commands.length > 0) await furnish(folder);
      for (const one of commands) assertEnded(one, await runIn(folder, one));
    }));

test('a page that asks for a command is one that this test reads', () => {
  for (const page of pages)
    assert.doesNotMatch(
      readFileSync(path.join(root, 'docs/guide', page), 'utf8'),
      /^```\n\$ collbench/m,
      page,
    );
});

test('the program of the page runs', () =>
  withFolder(async (folder) => {
    await furnish(folder);
    const page = readFileSync(path.join(root, 'docs/guide/program.md'), 'utf8');
    const [, text = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
    assert.match(text, /from 'collbench'/);
    await writeFile(path.join(folder, 'page.mjs'), text);
    const ended = await runIn(folder, {
      page: 'docs/guide/program.md',
      text: `${process.execPath} page.mjs`,
      isMeasured: false,
      needs: null,
      exits: [0],
    });
    assert.equal(ended.code, 0, ended.text);
    assert.match(ended.text, /emulated/);
  }));
