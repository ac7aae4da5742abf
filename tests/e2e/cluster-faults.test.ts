import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { RunRecord } from '../../results/schema/index.ts';
import { type Cluster, cluster, openCluster } from '../cluster/bed.ts';
import { until } from '../cluster/command.ts';
import { clockThatJumps, programWithoutLibrary } from '../cluster/fault-programs.ts';
import {
  agentInside,
  homeFull,
  homeNoExec,
  homeReadOnly,
  hostileBashrc,
  linkDown,
  loginRefused,
  onlySshPasses,
  packetsDropped,
  rankInside,
  signalled,
  slowShell,
  sshDropped,
  sshdDown,
  sshSession,
  stopped,
  tmpFull,
  type Undo,
  wrongHostKey,
} from '../cluster/faults.ts';
import type { TestHost } from '../cluster/host.ts';
import { leftovers } from '../cluster/leftovers.ts';
import { inFolder, root, run, type Started, start, survivors } from './harness.ts';

// What goes wrong on a cluster, against the whole command and real sshd hosts: exit code, the sentence that the user
// reads, what is kept, and that nothing stays behind on any host.
const skip = cluster();

interface Fault {
  name: string;
  /** Before the command starts; gives how to take it away, and further words for the command. */
  before?: (bed: Cluster, host: TestHost, folder: string) => Promise<Undo | { undo: Undo; words: string[] }>;
  /** Once the first cell has been measured. */
  during?: (bed: Cluster, host: TestHost, started: Started) => Promise<Undo | undefined>;
  code: number;
  /** `null` = there is nobody left to say anything, or nothing to complain of. */
  says: RegExp | null;
  words?: string[];
  /** Looks at the folder of the run. */
  after?: (run: string) => Promise<void>;
}

const nothing: Undo = async () => undefined;
const both =
  (...faults: ((host: TestHost) => Promise<Undo>)[]) =>
  async (_: Cluster, host: TestHost): Promise<Undo> => {
    const undo: Undo[] = [];
    for (const fault of faults) undo.push(await fault(host));
    return async () => {
      for (const one of undo.reverse()) await one();
    };
  };
const on =
  (fault: (host: TestHost) => Promise<Undo>) =>
  (_: Cluster, host: TestHost): Promise<Undo> =>
    fault(host);
const signal =
  (pattern: RegExp, name: NodeJS.Signals) =>
  async (_: Cluster, host: TestHost): Promise<undefined> => {
    signalled(host, pattern, name);
  };
const victim = 'node02';
/** Of the clock that a row has put in before. */
let jump: (seconds: number) => Promise<void> = async () => undefined;

const faults: Fault[] = [
  { name: 'sshd is down', before: on(sshdDown), code: 2, says: /node02.*refuses connections/s },
  { name: 'another host key', before: on(wrongHostKey), code: 2, says: /host key of node02 has CHANGED/ },
  { name: 'the login is refused', before: on(loginRefused), code: 2, says: /node02[\s\S]*(refused|accept)/i },
  {
    name: 'the cable is out',
    before: on(linkDown),
    code: 2,
    says: /node02[\s\S]*no machine answers/,
  },
  { name: 'packets vanish', before: on(packetsDropped), code: 2, says: /node02/ },
  {
    name: 'only ssh passes: ranks cannot meet',
    before: on(onlySshPasses),
    code: 2,
    says: /setting up socket|connect/i,
    words: ['--timeout', '5'],
  },
  {
    name: 'a name that nobody knows',
    before: async () => ({ undo: nothing, words: ['--hosts', 'node01,nobody.invalid'] }),
    code: 2,
    says: /nobody\.invalid/,
  },
  { name: 'the home is full', before: on(homeFull), code: 0, says: null },
  { name: 'the home cannot be written', before: on(homeReadOnly), code: 0, says: null },
  { name: 'the home may not hold programs', before: on(homeNoExec), code: 0, says: null },
  { name: 'home and /tmp are full', before: both(homeFull, tmpFull), code: 0, says: null },
  {
    name: 'the login shell talks',
    before: on((host) => hostileBashrc(host)),
    code: 0,
    says: null,
    after: async (run) =>
      assert.match(
        await readFile(path.join(run, 'logs', 'node02.log'), 'utf8'),
        / node02 agent: quota: 99 %$/m,
      ),
  },
  { name: 'the login shell is slow', before: on((host) => slowShell(host, 2)), code: 0, says: null },
  {
    name: 'an agent that needs a library which is not there',
    before: async (_bed, _host, folder) => ({
      undo: nothing,
      words: ['--agent', await programWithoutLibrary(folder)],
    }),
    code: 2,
    says: /libnothere\.so/,
  },
  {
    name: 'an agent of another architecture',
    before: async (_bed, _host, folder) => ({
      undo: nothing,
      words: ['--agent', await foreignAgent(folder)],
    }),
    code: 2,
    says: /architecture|aarch64|arm64/i,
  },
  {
    name: 'a rank is killed',
    during: signal(rankInside, 'SIGKILL'),
    code: 2,
    says: /rank 1[\s\S]*(SIGKILL|killed)/,
  },
  {
    name: 'the agent is killed',
    during: signal(agentInside, 'SIGKILL'),
    code: 2,
    says: /node02[\s\S]*(SIGKILL|killed|lost)/,
  },
  {
    name: 'a rank stands still',
    during: (_, host) => stopped(host, rankInside),
    code: 2,
    says: /rank 1|node02/,
    words: ['--timeout', '8'],
  },
  {
    name: 'the session of sshd is killed',
    during: signal(sshSession, 'SIGKILL'),
    code: 2,
    says: /node02[\s\S]*lost/,
  },
  { name: 'the cable is pulled', during: on(linkDown), code: 2, says: /node02/ },
  { name: 'packets begin to vanish', during: on(packetsDropped), code: 2, says: /node02/ },
  {
    name: 'ranks do not hear each other any more',
    during: on(onlySshPasses),
    code: 2,
    says: /rank \d|ranks/,
    words: ['--timeout', '8'],
  },
  {
    name: 'the wall clocks of a host jump by a day, forward and back',
    before: async (_bed, host) => {
      const clock = await clockThatJumps(host);
      jump = clock.jump;
      return clock.undo;
    },
    during: async () => {
      await jump(86_400);
      return () => jump(-86_400);
    },
    code: 0,
    says: null,
  },
  {
    name: 'the network to the controller is gone, the hosts hear each other',
    during: async (bed) => {
      const silenced = await Promise.all(bed.hosts.map(sshDropped));
      // Nothing reaches them any more, so the agents must leave by themselves.
      return async () => {
        const left = () => bed.hosts.flatMap((host) => host.pids(agentInside));
        await until('agents leave unasked', () => left().length === 0, 90_000);
        for (const undo of silenced) await undo();
      };
    },
    code: 2,
    says: /node0[12]/,
  },
  { name: 'ssh goes silent, ranks go on', during: on(sshDropped), code: 2, says: /node02/ },
  {
    name: 'Ctrl-C',
    during: async (_bed, _host, started) => void started.child.kill('SIGINT'),
    code: 130,
    says: /interrupted/i,
  },
  {
    name: 'the controller is killed',
    during: async (_bed, _host, started) => void started.child.kill('SIGKILL'),
    code: -1,
    says: null,
  },
];

/** A copy of the agent whose header says arm64. */
async function foreignAgent(folder: string): Promise<string> {
  const copy = path.join(folder, 'collbench-agent');
  const native = process.env.COLLBENCH_NATIVE_DIR ?? path.join(root, 'build', 'native');
  await copyFile(path.join(native, 'collbench-agent'), copy);
  const bytes = await readFile(copy);
  bytes.writeUInt16LE(183, 18);
  await writeFile(copy, bytes);
  return copy;
}

/** An agent for the next time, where the home could not take it. */
const keptElsewhere =
  /^file \/(tmp|dev\/shm)\/collbench-\d+(\/[0-9a-f]{64}(\/(collbench-agent|lib[a-z-]+\.so))?)?$/;

async function attempt(fault: Fault, bed: Cluster, folder: string): Promise<void> {
  const host = bed.hosts.find(({ name }) => name === victim) as TestHost;
  const before = (await fault.before?.(bed, host, folder)) ?? nothing;
  const { undo, words } = typeof before === 'function' ? { undo: before, words: [] } : before;
  const isDuring = fault.during !== undefined;
  const hosts = words.includes('--hosts') ? [] : ['--hosts', bed.hosts.map(({ name }) => name).join(',')];
  const sizes = isDuring ? ['--sizes', '8,1M,2M', '--iters', '150'] : ['--sizes', '8', '--iters', '3'];
  const started = start(
    ['allreduce', ...hosts, ...words, ...sizes, '--launches', '1', ...(fault.words ?? []), '--out', 'run'],
    { cwd: folder, env: bed.environment, prefix: bed.prefix },
  );
  let undoLater: Undo = nothing;
  if (fault.during !== undefined) {
    await started.sees(/^ +8 +2 /m);
    undoLater = (await fault.during(bed, host, started)) ?? nothing;
  }
  const ended = await started.ended;
  await undoLater();
  await undo();
  if (fault.code >= 0) assert.equal(ended.code, fault.code, `${ended.stdout}\n${ended.stderr}`);
  // Which rank goes where is told before anything happens and names every host.
  const told = ended.stderr.replaceAll(/^collbench: ranks? .*on node\d+\n/gm, '');
  if (fault.says !== null) assert.match(told, fault.says);
  if (fault.code === 0) {
    assert.equal(told, '');
    assert.match(ended.stdout, /^verified: \d+ checks, 0 wrong/m);
  }
  assert.doesNotMatch(ended.stderr, /\n {4}at /, 'no stack trace of ours');
  await fault.after?.(path.join(folder, 'run'));
  if (isDuring) {
    // What was measured before stays readable.
    const cells = await readFile(path.join(folder, 'run', 'cells.ndjson'), 'utf8');
    assert.match(cells, /"bytes":8[,}]/);
  }
  assert.deepEqual(await survivors(started.marker), []);
  for (const one of bed.hosts) {
    const left = await leftovers(one, { boundMs: 45_000, expected: keptElsewhere });
    assert.deepEqual(left, [], one.name);
  }
}

for (const fault of faults) {
  test(`${fault.name}: exit ${fault.code < 0 ? 'by signal' : fault.code}, said in words, nothing stays`, {
    skip,
  }, async () => {
    const bed = await openCluster({ hosts: 2, rateMbit: 1000 });
    try {
      await inFolder((folder) => attempt(fault, bed, folder));
    } finally {
      await bed.close();
    }
  });
}

test('a run that lost a host is resumed when it is back: whole, and marked', {
  skip,
}, async () => {
  const bed = await openCluster({ hosts: 2, rateMbit: 1000 });
  try {
    await inFolder(async (folder) => {
      const at = { cwd: folder, env: bed.environment, prefix: bed.prefix };
      const hosts = bed.hosts.map(({ name }) => name).join(',');
      const words = [
        '--hosts',
        hosts,
        '--sizes',
        '8,1M,2M',
        '--iters',
        '150',
        '--launches',
        '1',
        '--out',
        'run',
      ];
      const started = start(['allreduce', ...words], at);
      await started.sees(/^ +8 +2 /m);
      signalled(bed.hosts[1] as TestHost, agentInside, 'SIGKILL');
      assert.equal((await started.ended).code, 2);
      const resumed = await run(['resume', 'run'], at);
      assert.equal(resumed.code, 0, resumed.stderr);
      const record = JSON.parse(await readFile(path.join(folder, 'run', 'run.json'), 'utf8')) as RunRecord;
      assert.equal(record.state, 'complete');
      assert.equal(record.resumed?.length, 1);
      assert.deepEqual(Object.keys(record.inventory).sort(), hosts.split(','));
      for (const host of bed.hosts) assert.deepEqual(await leftovers(host), [], host.name);
    });
  } finally {
    await bed.close();
  }
});
