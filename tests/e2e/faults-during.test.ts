// test: up to 300 s
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { RunRecord } from '../../results/schema/index.ts';
import { type Cluster, cluster } from '../cluster/bed.ts';
import { pollUntil } from '../cluster/command.ts';
import { clockThatJumps } from '../cluster/fault-programs.ts';
import {
  agentInside,
  blockAllButSsh,
  linkDown,
  packetsDropped,
  rankInside,
  signalProcesses,
  sshDropped,
  sshSession,
  stopProcesses,
} from '../cluster/faults.ts';
import type { TestHost } from '../cluster/host.ts';
import { leftovers } from '../cluster/leftovers.ts';
import { run, start, withFolder } from './harness.ts';
import { applyToHost, type TestFault, testFaults, withBed } from './support/fault.ts';

// Faults that occur during a measurement.

const signal =
  (pattern: RegExp, name: NodeJS.Signals) =>
  async (_: Cluster, host: TestHost): Promise<undefined> => {
    signalProcesses(host, pattern, name);
  };
/** Moves the wall clock of the host by seconds; set by the `before` function of the fault with a clock that jumps. */
let jump: (seconds: number) => Promise<void> = async () => undefined;

const faults: TestFault[] = [
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
    during: (_, host) => stopProcesses(host, rankInside),
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
  { name: 'the cable is pulled', during: applyToHost(linkDown), code: 2, says: /node02/ },
  { name: 'packets begin to vanish', during: applyToHost(packetsDropped), code: 2, says: /node02/ },
  {
    name: 'ranks do not hear each other any more',
    during: applyToHost(blockAllButSsh),
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
      // The controller cannot reach the agents, so they must exit by themselves.
      return async () => {
        const left = () => bed.hosts.flatMap((host) => host.pids(agentInside));
        await pollUntil('agents leave unasked', () => left().length === 0, 90_000);
        for (const undo of silenced) await undo();
      };
    },
    code: 2,
    says: /node0[12]/,
  },
  { name: 'ssh goes silent, ranks go on', during: applyToHost(sshDropped), code: 2, says: /node02/ },
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

testFaults(faults);

test('a run that lost a host is resumed when it is back: whole, and marked', { skip: cluster() }, () =>
  withBed((bed) =>
    withFolder(async (folder) => {
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
      signalProcesses(bed.hosts[1] as TestHost, agentInside, 'SIGKILL');
      assert.equal((await started.ended).code, 2);
      const resumed = await run(['resume', 'run'], at);
      assert.equal(resumed.code, 0, resumed.stderr);
      const record = JSON.parse(await readFile(path.join(folder, 'run', 'run.json'), 'utf8')) as RunRecord;
      assert.equal(record.state, 'complete');
      assert.equal(record.resumed?.length, 1);
      assert.deepEqual(Object.keys(record.inventory).sort(), hosts.split(','));
      for (const host of bed.hosts) assert.deepEqual(await leftovers(host), [], host.name);
    }),
  ),
);
