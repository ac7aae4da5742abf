// test: nightly, up to 5 min
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { type BisectionRecord, bisectionRecord } from '../../results/schema/index.ts';
import { root, run, skipUnless, withFolder } from './harness.ts';

// Searches of whole lists with the real engine: environment variables, and revisions that a command builds.

const source = path.join(root, 'native', 'transports', 'plugin', 'fake', 'foreign_net.cc');
const skip = skipUnless(spawnSync('c++', ['--version']).status === 0, 'no c++ to build the revisions');

function recordIn(folder: string): BisectionRecord {
  const runs = path.join(folder, 'collbench-runs');
  const [name = ''] = readdirSync(runs).filter((one) => one.includes('-bisect-'));
  return bisectionRecord.parse(JSON.parse(readFileSync(path.join(runs, name, 'bisection.json'), 'utf8')));
}

/** Carries out a bisection that must find something. @returns what it printed, its record, and the first changed item */
async function bisect(folder: string, words: readonly string[]) {
  const { code, stdout, stderr } = await run(['bisect', ...words], { cwd: folder });
  assert.equal(code, 0, stdout + stderr);
  const record = recordIn(folder);
  const found = record.stages.flatMap((stage) => (stage.found === null ? [] : [stage.found]));
  assert.equal(found.length, 1, stdout);
  const [{ first, last } = { first: 0, last: 0 }] = found;
  return { stdout, record, names: record.items.slice(first, last + 1).map(({ name }) => name) };
}

/** Variables that change nothing for ranks over shm, as two shells have them. */
const harmless = [
  ...['BLIS_NUM_THREADS', 'CMAKE_PREFIX_PATH', 'EDITOR', 'FI_LOG_LEVEL', 'FI_PROVIDER', 'HF_HOME'],
  ...['KMP_BLOCKTIME', 'MALLOC_TRIM_THRESHOLD_', 'NCCL_ALGO', 'NCCL_BUFFSIZE', 'NCCL_CROSS_NIC'],
  ...['NCCL_IB_GID_INDEX', 'NCCL_MAX_NCHANNELS', 'NCCL_MIN_NCHANNELS', 'NCCL_NTHREADS', 'NCCL_P2P_LEVEL'],
  ...['NCCL_PROTO', 'NVSHMEM_IB_GID_INDEX', 'NVSHMEM_SYMMETRIC_SIZE', 'OFI_NCCL_GDR_FLUSH_DISABLE'],
  ...['OMPI_MCA_btl', 'OMPI_MCA_coll_tuned_use_dynamic_rules', 'OMPI_MCA_pml', 'OMP_NUM_THREADS'],
  ...['PYTHONHASHSEED', 'TOKENIZERS_PARALLELISM', 'TORCH_SHOW_CPP_STACKTRACES', 'UCX_LOG_LEVEL'],
  ...['UCX_MAX_RNDV_RAILS', 'UCX_MEMTYPE_CACHE', 'UCX_NET_DEVICES', 'UCX_RNDV_THRESH', 'UCX_TLS'],
  ...['UCX_ZCOPY_THRESH', 'VECLIB_MAXIMUM_THREADS', 'WANDB_MODE', 'XDG_DATA_HOME', 'http_proxy', 'no_proxy'],
];

test('the one of forty environment variables that makes an operation slower is found, and that it needs no other', () =>
  withFolder(async (folder) => {
    assert.equal(harmless.length, 39);
    const lines = (value: number) => harmless.map((name) => `${name}=${value}\n`).join('');
    await writeFile(path.join(folder, 'good.env'), `${lines(1)}COLLBENCH_SHM_COPIES=1\n`);
    // Each message is then copied twice, which takes more than twice as long.
    await writeFile(path.join(folder, 'bad.env'), `${lines(2)}COLLBENCH_SHM_COPIES=2\n`);
    const measured = ['--', 'broadcast', '--sizes', '512K', '--transport', 'shm', '--iters', '30'];
    const { stdout, record, names } = await bisect(folder, [
      ...['--good', 'good.env', '--bad', 'bad.env', '--margin', '20%'],
      ...measured,
    ]);
    assert.equal(record.items.length - 1, 40);
    assert.deepEqual(names, ['COLLBENCH_SHM_COPIES=2 (was 1)']);
    assert.match(stdout, /^found: COLLBENCH_SHM_COPIES=2 \(was 1\) .*, of 40 items;/m);
  }));

/** Number of the revision whose plugin waits in every send, and of one that does not compile. */
const [slowRevision, brokenRevision] = [6, 4];
/** Microseconds of this wait. It is longer than the turns in which a busy machine gives its cores to other processes. */
const slowSendUs = 20_000;

test(
  'the revision of a repository whose build is slower is found; one that does not compile is passed over',
  {
    skip,
  },
  () =>
    withFolder(async (folder) => {
      const git = (...words: string[]): string =>
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], {
          cwd: folder,
          encoding: 'utf8',
        });
      git('init', '-q', '-b', 'main');
      const revisions = Array.from({ length: 9 }, (_, revision) => revision);
      for (const revision of revisions) {
        const delayUs = revision >= slowRevision ? slowSendUs : 0;
        const include = revision === brokenRevision ? '#include "absent.h"\n' : '';
        const text = `${include}#define FOREIGN_SEND_DELAY_US ${delayUs}\n#include "${source}"\n// ${revision}\n`;
        await writeFile(path.join(folder, 'net.cc'), text);
        git('add', 'net.cc');
        git('commit', '-q', '-m', `revision ${revision}`);
        git('tag', `r${revision}`);
      }
      await mkdir(path.join(folder, 'builds'));
      const native = path.join(root, 'native');
      const build = [
        'mkdir -p builds/{item}',
        'git show {item}:net.cc > builds/{item}/net.cc',
        `c++ -std=c++20 -O1 -shared -fPIC -I ${native} builds/{item}/net.cc -o builds/{item}/libnccl-net-x.so`,
      ].join(' && ');
      const measured = ['allreduce', '--sizes', '4K', '--transport', 'plugin:builds/{item}/libnccl-net-x.so'];
      const { stdout, record, names } = await bisect(folder, [
        ...['--good', 'r0', '--bad', 'r8', '--margin', '20%', '--build', build],
        // A launch has up to 24 rounds of these samples.
        ...['--', ...measured, '--iters', '2', '--warmup', '0'],
      ]);
      assert.equal(record.kind, 'commits');
      assert.deepEqual(
        names.map((name) => name.replace(/^\S+ /, '')),
        [`revision ${slowRevision}`],
      );
      const broken = record.probes.find(({ verdict }) => verdict === 'unmeasurable');
      assert.equal(broken?.candidate.item, brokenRevision, stdout);
      assert.match(broken?.reason ?? '', /^the build ended with 1, see logs\/build-[0-9a-f]{12}\.log$/);
      // Each revision is built once, and those that were not measured not at all.
      assert.ok(readdirSync(path.join(folder, 'builds')).length < revisions.length, stdout);
    }),
);
