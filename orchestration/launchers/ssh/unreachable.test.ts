// test: e2e
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, test } from 'node:test';
import type { HostSpec } from '../../hosts/host.ts';
import type { AgentProcess } from '../launcher.ts';
import { sshLauncher } from './index.ts';
import { echoAgent, exchangeLine, grace, hostSpec, refusal } from './testing/agents.ts';
import { freePort, SshLab, skip } from './testing/sshd.ts';

let lab: SshLab;
let agent: string;
before(async () => {
  if (skip !== false) return;
  lab = await SshLab.open();
  agent = await echoAgent(lab);
});
after(() => lab?.close());

async function starting<T>(
  spec: Partial<HostSpec>,
  body: (agent: AgentProcess) => Promise<T>,
  connectTimeoutMs = 10_000,
) {
  const launcher = sshLauncher([hostSpec('box', spec)], { configFile: lab.configFile, connectTimeoutMs });
  try {
    return await body(launcher.start('box', agent));
  } finally {
    await launcher.close?.();
  }
}

/** Starts a server that passes each connection to `onConnection`. */
async function serving<T>(
  onConnection: (socket: net.Socket) => void,
  body: (port: number) => Promise<T>,
): Promise<T> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await body((server.address() as net.AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

test('a name that nobody knows', { skip }, async () => {
  const { message } = await starting({ address: 'no-such-host.invalid' }, refusal);
  assert.match(message, /^box \(no-such-host\.invalid\) (cannot be resolved|cannot be resolved now)/);
});

test('a port where nobody listens', { skip }, async () => {
  const port = await freePort('127.0.0.1');
  const { message } = await starting({ address: '127.0.0.1', port }, refusal);
  assert.equal(message, `box (127.0.0.1) refuses connections on port ${port}`);
});

test('a server that says nothing', { skip }, async () => {
  await serving(
    () => undefined,
    async (port) => {
      const { message } = await starting({ address: '127.0.0.1', port }, refusal, 300);
      assert.match(
        message,
        /took the connection on port \d+ but did not finish the ssh handshake within 0\.3 s/,
      );
    },
  );
});

test('something that is no ssh server', { skip }, async () => {
  await serving(
    (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(100)),
    async (port) => {
      const { message } = await starting({ address: '127.0.0.1', port }, refusal);
      assert.match(message, /box/);
    },
  );
});

test('a server at its limit hangs up at first: tried again', { skip }, async () => {
  const host = await lab.host();
  let turnedAway = 0;
  await serving(
    (socket) => {
      if (turnedAway < 2) {
        turnedAway += 1;
        socket.destroy();
      } else {
        const onward = net.connect(host.port, '127.0.0.1').on('error', () => undefined);
        socket.pipe(onward).pipe(socket);
      }
    },
    async (port) => {
      await lab.know(`[127.0.0.1]:${port} ${host.publicKeys[0]}`);
      assert.equal(
        await starting({ address: '127.0.0.1', port }, (started) => exchangeLine(started)),
        'heard you',
      );
    },
  );
  assert.equal(turnedAway, 2);
});

test('twelve logins at once to a server that takes two', { skip }, async () => {
  const host = await lab.host({ lines: ['MaxStartups 2'] });
  const names = Array.from({ length: 12 }, (_, i) => `box${i}`);
  const launcher = sshLauncher(
    names.map((name) => hostSpec(name, { address: '127.0.0.1', port: host.port })),
    { configFile: lab.configFile },
  );
  const answers = await Promise.all(names.map((name) => exchangeLine(launcher.start(name, agent))));
  assert.deepEqual(answers, Array(12).fill('heard you'));
  await launcher.close?.();
});

test('a start that is stopped before anybody answered', { skip }, async () => {
  await serving(
    () => undefined,
    async (port) => {
      await starting({ address: '127.0.0.1', port }, async (started) => {
        const { startError } = await started.stop(grace);
        assert.equal(startError?.message, 'the start of the agent on box was cancelled');
      });
    },
  );
});

test('a host that is none of the run', { skip }, async () => {
  const launcher = sshLauncher([], {});
  assert.match((await refusal(launcher.start('other', agent))).message, /"other" is not a host/);
});
