// test: e2e
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import ssh2, { type ServerChannel } from 'ssh2';
import { sshLauncher } from './index.ts';
import { echoAgent, exchangeLine, grace, hostSpec, refusal } from './testing/agents.ts';
import { SshLab, skip, type TestSshd } from './testing/sshd.ts';

let lab: SshLab;
let host: TestSshd;
let agent: string;
before(async () => {
  if (skip !== false) return;
  lab = await SshLab.open();
  host = await lab.host();
  agent = await echoAgent(lab);
});
after(() => lab?.close());

function launching(port: number) {
  return sshLauncher([hostSpec('box', { address: '127.0.0.1', port })], { configFile: lab.configFile });
}

/** Starts an ssh agent that accepts connections and never answers; `asked` resolves when a client has connected. */
async function silentAgent<T>(body: (socket: string, asked: Promise<unknown>) => Promise<T>): Promise<T> {
  const socket = path.join(lab.folder, 'silent-agent');
  const clients: net.Socket[] = [];
  const server = net
    .createServer((client) => clients.push(client.on('error', () => undefined)))
    .listen(socket);
  await once(server, 'listening');
  await lab.configure(`IdentityAgent ${socket}`);
  try {
    return await body(socket, once(server, 'connection'));
  } finally {
    for (const client of clients) client.destroy();
    server.close();
    await lab.configure('');
  }
}

test('an ssh agent that never answers is done without', { skip }, async () => {
  await silentAgent(async (socket) => {
    const launcher = launching(host.port);
    assert.equal(await exchangeLine(launcher.start('box', agent)), 'heard you');
    await launcher.close?.();
    const strict = await lab.host({ authorized: [`${await lab.newKey('other')}.pub`] });
    const refusing = launching(strict.port);
    const error = await refusal(refusing.start('box', agent));
    assert.ok(error.details.includes(`The ssh agent at ${socket} does not answer within 3 s.`));
    await refusing.close?.();
  });
});

test('a start that is stopped while the ssh agent is asked', { skip }, async () => {
  await silentAgent(async (_, asked) => {
    const launcher = launching(host.port);
    const started = launcher.start('box', agent);
    await asked;
    const { startError } = await started.stop(grace);
    assert.equal(startError?.message, 'the start of the agent on box was cancelled');
    await launcher.close?.();
  });
});

/** Starts a server that accepts every login; all data that it sends while `onExec` runs arrives at once. */
async function serving<T>(
  onExec: (accept: () => ServerChannel) => void,
  body: (port: number) => Promise<T>,
): Promise<T> {
  const keyFile = await lab.newKey('server');
  const hostKey = await readFile(keyFile);
  const sockets: net.Socket[] = [];
  const listener = net.createServer((socket) => {
    sockets.push(socket);
    const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (attempt) => attempt.accept());
      client.on('session', (accept) =>
        accept().on('exec', (begin) => {
          socket.cork();
          onExec(begin);
          socket.uncork();
        }),
      );
    });
    server.injectSocket(socket);
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const { port } = listener.address() as net.AddressInfo;
  const publicKey = (await readFile(`${keyFile}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ');
  await lab.know(`[127.0.0.1]:${port} ${publicKey}`);
  try {
    return await body(port);
  } finally {
    for (const socket of sockets) socket.destroy();
    listener.close();
  }
}

test('a shell that ends at once is told with its code and its words', { skip }, async () => {
  await serving(
    (accept) => {
      const channel = accept();
      channel.stderr.write('no shells today\n');
      channel.exit(1);
      channel.close();
    },
    async (port) => {
      const launcher = launching(port);
      const error = await refusal(launcher.start('box', agent));
      assert.equal(
        error.message,
        'the agent cannot be started on box: the shell there: it ended, with code 1',
      );
      assert.deepEqual(error.details, ['box: no shells today']);
      await launcher.close?.();
    },
  );
});
