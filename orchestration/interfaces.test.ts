import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Deadlines, defaultDeadlines } from './deadlines.ts';
import { Fleet } from './fleet.ts';
import type { LaunchRequest } from './launch.ts';
import type { Launcher } from './launchers/launcher.ts';
import { mockLauncher } from './testing/mock.ts';

/** Starts the mock's agents and records the messages sent to each. */
function overheard(): { launcher: Launcher; said: Map<string, string[]> } {
  const said = new Map<string, string[]>();
  const mock = mockLauncher();
  const start: Launcher['start'] = (name, agentPath) => {
    const agent = mock.start(name, agentPath);
    const lines: string[] = [];
    said.set(name, lines);
    return {
      ...agent,
      write: (line) => {
        lines.push(line);
        return agent.write(line);
      },
    };
  };
  return { launcher: { ...mock, start }, said };
}

const request: LaunchRequest = {
  type: 'launch',
  launch: 0,
  engine: 'cpu',
  transport: 'plugin',
  options: { token: '0123456789abcdef0123456789abcdef', interface: 'eth0' },
  algorithm: '',
  settings: {},
  ranks: 2,
  localRanks: [0, 1],
  seed: 1,
  environment: { MINE: 'stays' },
  deadlineMs: 10_000,
};

const deadlines: Deadlines = { ...defaultDeadlines, launchMs: 10_000, measureMs: 10_000 };

/** Launch requests that hosts `a` (interface eth1) and `b` (no interface given) receive. */
async function told(engine: LaunchRequest['engine']): Promise<LaunchRequest[]> {
  const { launcher, said } = overheard();
  const hosts = [
    { name: 'a', ranks: [0], iface: 'eth1' },
    { name: 'b', ranks: [1] },
  ];
  const fleet = new Fleet(hosts, deadlines, () => undefined);
  const where = {
    host: null,
    doing: 'a test',
    phase: 'launch',
    operations: null,
    deadlineMs: null,
    again: null,
  };
  try {
    await fleet.start(launcher, '');
    await fleet.open({ ...request, engine }, where).catch(() => undefined);
  } finally {
    await fleet.stop();
  }
  return ['a', 'b'].map((name) => {
    const launch = said.get(name)?.map((line) => JSON.parse(line) as LaunchRequest);
    return launch?.find(({ type }) => type === 'launch') as LaunchRequest;
  });
}

test('each host is told its own interface, and a plugin of the cpu engine hears of it by variable', async () => {
  const [a, b] = (await told('cpu')) as [LaunchRequest, LaunchRequest];
  assert.deepEqual([a.options.interface, b.options.interface], ['eth1', 'eth0']);
  assert.deepEqual(a.environment, { MINE: 'stays', NCCL_SOCKET_IFNAME: '=eth1' });
  assert.deepEqual(b.environment, { MINE: 'stays', NCCL_SOCKET_IFNAME: '=eth0' });
});

test('the nccl engine makes its variables of the option by itself', async () => {
  const [a] = (await told('nccl')) as [LaunchRequest];
  assert.equal(a.options.interface, 'eth1');
  assert.deepEqual(a.environment, { MINE: 'stays' });
});
