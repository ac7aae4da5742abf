import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { topologyReport } from '../../results/schema/index.ts';
import { findOnlyRun, root, run, withFolder } from './harness.ts';
import { fake, fakeGpus, withoutFakes } from './support/fakes.ts';

const fixtures = path.join(root, 'results', 'testing', 'topology', 'fixtures');
const fixture = (name: string) => path.join(fixtures, name);
const logs = path.join(root, 'native', 'engines', 'nccl', 'tests');

test('this machine: its processor and NUMA nodes, within 80 columns', async () => {
  const ended = await run(['topo']);
  assert.equal(ended.code, 0, ended.stderr);
  assert.match(ended.stdout, /from sysfs/);
  assert.match(ended.stdout, /^(NUMA node 0|place not told)/m);
  for (const line of ended.stdout.split('\n')) assert.ok(line.length <= 80, line);
});

test('files of all kinds together: one machine, rings and trees, JSON with its schema, a drawing', async () => {
  await withFolder(async (folder) => {
    const svg = path.join(folder, 'all.svg');
    const ended = await run([
      'topo',
      fixture('h200-2-machines.json'),
      fixture('h200-2-topo.xml'),
      fixture('h200-2-graph-p2p.xml'),
      fixture('h200-2-smi-topo-m.txt'),
      path.join(logs, 'recorded', 'nccl-2.28.9-p2p-2xH200-both-ranks.txt'),
      '--json',
      '--svg',
      svg,
    ]);
    assert.equal(ended.code, 0, ended.stderr);
    const report = topologyReport.parse(JSON.parse(ended.stdout));
    assert.deepEqual(
      report.machines.map(({ host, paths }) => [
        host,
        paths.find(({ joint }) => joint === 'nvlink')?.ceilingGBps,
      ]),
      [['vm', 450]],
    );
    assert.deepEqual(
      report.graphs.map(({ pattern, channels }) => [pattern, channels.length]),
      [
        ['ring', 12],
        ['balanced tree', 12],
        ['ring', 24],
        ['tree', 24],
      ],
    );
    assert.equal(report.log?.connections.length, 48);
    assert.match(await readFile(svg, 'utf8'), /^<\?xml[^>]*\?>\n<svg .*role="img"/);
  });
});

test('a run shows in its report how its machine is connected, and its folder can be given', async () => {
  await withFolder(async (folder) => {
    const ran = await run(['allreduce', '--sizes', '8', '--launches', '1', '--iters', '3'], { cwd: folder });
    assert.equal(ran.code, 0, ran.stderr);
    const dir = await findOnlyRun(folder);
    const ended = await run(['topo', dir], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /NUMA node|place not told|from sysfs/);
    const report = await readFile(path.join(dir, 'report.html'), 'utf8');
    const { machines } = JSON.parse(await readFile(path.join(dir, 'machines.json'), 'utf8')) as {
      machines: Record<string, { pci: unknown[] }>;
    };
    const hasDevices = Object.values(machines).some(({ pci }) => pci.length > 0);
    assert.equal(report.includes('Topology'), hasDevices);
  });
});

test('bad input: one clear error; exit 1 for the command line, 2 for a file that is not what was meant', async () => {
  await withFolder(async (folder) => {
    const torn = path.join(folder, 'torn.xml');
    await writeFile(torn, '<system><cpu>');
    for (const [words, says, code = 1] of [
      [['/nowhere/x.xml'], /\/nowhere\/x\.xml cannot be read: ENOENT/, 2],
      [[torn], /torn\.xml: XML: the file is torn: not closed are system, cpu\n {2}allowed:/, 2],
      [[folder], /is a folder without machines\.json/, 2],
      [
        [path.join(root, 'README.md')],
        /README\.md: nothing in it is known\n {2}allowed:\n {4}NCCL's topology/,
        2,
      ],
      [
        ['--dump', folder, '--hosts', 'a'],
        /--dump and --hosts exclude each other|--dump and --hosts a exclude/,
      ],
      [['--nccl', '/x'], /--nccl has no effect without --dump/],
    ] as const) {
      const ended = await run(['topo', ...words]);
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, says);
    }
    const unwritable = await run([
      'topo',
      '--svg',
      path.join(folder, 'no', 'x.svg'),
      fixture('h200-2-topo.xml'),
    ]);
    assert.equal(unwritable.code, 2, unwritable.stderr);
    assert.match(unwritable.stderr, /x\.svg cannot be written/);
  });
});

const env = fakeGpus(2);

test('--dump with a fake NCCL, which has no topology: told, exit 2', { skip: withoutFakes }, async () => {
  await withFolder(async (folder) => {
    const ended = await run(['topo', '--dump', folder, '--nccl', fake('nccl')], { env });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /NCCL wrote no topology to/);
  });
});

test('a log that says Socket while SISCI was asked for: contradicted, exit 2', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (folder) => {
    const ended = await run(
      [
        ...['allreduce', '--engine', 'nccl', '--nccl', fake('nccl'), '--ranks', '2', '--launches', '1'],
        ...['--iters', '3', '--sizes', '64K', '--transport', 'sisci', '--json'],
      ],
      { cwd: folder, env: { ...env, NCCL_FAKE_FAULT: 'detour' } },
    );
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /the evidence contradicts the transport in 1 of 1 configurations/);
    const cell = ended.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { status?: string; evidence?: { verdict: string; reason: string } })
      .find(({ status }) => status === 'ok');
    assert.equal(cell?.evidence?.verdict, 'contradicted');
    assert.match(cell?.evidence?.reason ?? '', /connections over NET\/Socket, NET\/SISCI was asked for/);
  });
});
