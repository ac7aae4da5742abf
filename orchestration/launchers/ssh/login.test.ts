// test: e2e
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type SshOptions, sshLauncher } from './index.ts';
import { echoAgent, exchangeLine, hostSpec, refusal } from './testing/agents.ts';
import { SshLab, skip, type TestSshd } from './testing/sshd.ts';

const run = promisify(execFile);
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

/** Calls `body` with a launcher for the hosts of the lab's configuration, and closes the launcher afterwards. */
async function launching<T>(
  names: string[],
  options: SshOptions,
  body: (launcher: ReturnType<typeof sshLauncher>) => Promise<T>,
): Promise<T> {
  const launcher = sshLauncher(
    names.map((name) => hostSpec(name)),
    { configFile: lab.configFile, ...options },
  );
  try {
    return await body(launcher);
  } finally {
    await launcher.close?.();
  }
}

const at = (name: string, { address, port }: TestSshd, ...more: string[]): string =>
  [`Host ${name}`, `HostName ${address}`, `Port ${port}`, ...more, ''].join('\n  ');

test('an agent at a port of its own answers and leaves', { skip }, async () => {
  const launcher = sshLauncher([hostSpec('127.0.0.1', { port: host.port })], { configFile: lab.configFile });
  const started = launcher.start('127.0.0.1', agent);
  assert.equal(await exchangeLine(started, 'päth "$(id)"'), 'heard päth "$(id)"');
  assert.deepEqual(await started.exit, { code: 0, signal: null, startError: null });
  await launcher.close?.();
});

test('user and port of the host win over the configuration', { skip }, async () => {
  await lab.configure('Host *\n  User nobody\n  Port 1\n');
  const spec = hostSpec('127.0.0.1', { user: 'root', port: host.port });
  const launcher = sshLauncher([spec], { configFile: lab.configFile });
  assert.equal(await exchangeLine(launcher.start('127.0.0.1', agent)), 'heard you');
  await launcher.close?.();
});

test('an IPv6 literal, with and without brackets', { skip }, async (t) => {
  const v6 = await lab.host({ address: '::1' }).catch(() => null);
  if (v6 === null) return t.skip('no IPv6 here');
  await lab.configure('');
  for (const address of ['::1', '[::1]']) {
    const launcher = sshLauncher([hostSpec('::1', { address, port: v6.port })], {
      configFile: lab.configFile,
    });
    assert.equal(await exchangeLine(launcher.start('::1', agent)), 'heard you');
    await launcher.close?.();
  }
});

test('an included file with a wildcard block is followed', { skip }, async () => {
  const included = path.join(lab.folder, 'included');
  await writeFile(included, `Host gpu*\n  HostName 127.0.0.1\n  Port ${host.port}\n`);
  await lab.configure(`Include ${included}`);
  await launching(['gpu01'], {}, async (launcher) => {
    assert.equal(await exchangeLine(launcher.start('gpu01', agent)), 'heard you');
  });
});

test('through one jump host and through two', { skip }, async () => {
  const [inner, outer] = [await lab.host(), await lab.host()];
  await lab.configure(
    [
      at('outer', outer),
      at('inner', inner),
      at('one', host, 'ProxyJump inner'),
      at('two', host, 'ProxyJump outer,inner'),
      at('chain', host, 'ProxyJump middle'),
      at('middle', inner, 'ProxyJump outer'),
    ].join('\n'),
  );
  await launching(['one', 'two', 'chain'], {}, async (launcher) => {
    for (const name of ['one', 'two', 'chain']) {
      assert.equal(await exchangeLine(launcher.start(name, agent)), 'heard you', name);
    }
  });
});

test('a jump host that cannot reach the host says so', { skip }, async () => {
  await lab.configure(`${at('inner', host)}\nHost far\n  HostName 127.0.0.1\n  Port 1\n  ProxyJump inner\n`);
  const error = await launching(['far'], {}, (launcher) => refusal(launcher.start('far', agent)));
  assert.match(error.message, /^jump host inner cannot reach 127\.0\.0\.1 on port 1: .*refused/i);
});

test('jump hosts in a circle are found out', { skip }, async () => {
  await lab.configure(`${at('a', host, 'ProxyJump b')}\n${at('b', host, 'ProxyJump a')}`);
  const error = await launching(['a'], {}, (launcher) => refusal(launcher.start('a', agent)));
  assert.match(error.message, /does ProxyJump go in circles\?/);
});

for (const type of ['ed25519', 'ecdsa', 'rsa']) {
  test(`a key of type ${type} held by the ssh agent alone`, { skip }, async () => {
    const key = await lab.newKey(`held_${type}`, type);
    const only = await lab.host({ authorized: [`${key}.pub`] });
    const socket = path.join(lab.folder, `agent-${type}`);
    const keeper = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await new Promise((resolve) => keeper.stdout.once('data', resolve));
      await run('ssh-add', ['-q', key], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      await lab.configure(at('held', only, `IdentityAgent ${socket}`));
      await launching(['held'], {}, async (launcher) => {
        assert.equal(await exchangeLine(launcher.start('held', agent)), 'heard you');
      });
    } finally {
      keeper.kill();
    }
  });

  test(`a key file of type ${type}`, { skip }, async () => {
    const key = await lab.newKey(`file_${type}`, type);
    const only = await lab.host({ authorized: [`${key}.pub`] });
    await lab.configure(at('filed', only));
    await launching(['filed'], { identityFiles: [key] }, async (launcher) => {
      assert.equal(await exchangeLine(launcher.start('filed', agent)), 'heard you');
    });
  });
}

test('an encrypted key is asked for once for two hosts', { skip }, async () => {
  const key = await lab.newKey('secret', 'ed25519', 'open sesame');
  const authorized = [`${key}.pub`];
  const hosts = [await lab.host({ authorized }), await lab.host({ authorized })] as const;
  await lab.configure(`${at('s1', hosts[0])}\n${at('s2', hosts[1])}`);
  const requested: string[] = [];
  const passphrase = (file: string): Promise<string> => {
    requested.push(file);
    return Promise.resolve('open sesame');
  };
  await launching(['s1', 's2'], { identityFiles: [key], passphrase }, async (launcher) => {
    const answers = await Promise.all(['s1', 's2'].map((name) => exchangeLine(launcher.start(name, agent))));
    assert.deepEqual(answers, ['heard you', 'heard you']);
  });
  assert.deepEqual(requested, [key]);
  const nobody = await launching(['s1'], { identityFiles: [key] }, (launcher) =>
    refusal(launcher.start('s1', agent)),
  );
  assert.equal(nobody.message, `${key} is encrypted, and there is no terminal to ask for its passphrase`);
  assert.equal(nobody.next, `ssh-add ${key}`);
  const wrong = await launching(
    ['s1'],
    { identityFiles: [key], passphrase: async () => 'wrong' },
    (launcher) => refusal(launcher.start('s1', agent)),
  );
  assert.equal(wrong.message, `the passphrase given does not open ${key}`);
});

test('an encrypted key that the host would not take is not asked for', { skip }, async () => {
  const key = await lab.newKey('useless', 'ed25519', 'x');
  await lab.configure(at('plain', host));
  const passphrase = (): Promise<string> => Promise.reject(new Error('asked'));
  await launching(['plain'], { identityFiles: [key], passphrase }, async (launcher) => {
    assert.equal(await exchangeLine(launcher.start('plain', agent)), 'heard you');
  });
});

test('a refused login names the user, the host and the keys that were offered', { skip }, async () => {
  const other = await lab.newKey('other');
  const strict = await lab.host({ authorized: [`${other}.pub`] });
  await lab.configure(at('strict', strict));
  const error = await launching(['strict'], {}, (launcher) => refusal(launcher.start('strict', agent)));
  assert.equal(error.message, `strict refused the login of user root (root@127.0.0.1:${strict.port})`);
  const { stdout } = await run('ssh-keygen', ['-lf', `${lab.key}.pub`]);
  assert.ok(error.details.join('\n').includes(`${lab.key} (ssh-ed25519 ${stdout.split(' ')[1]})`));
  assert.ok((await readFile(lab.key, 'utf8')).length > 0);
});

test('a configuration that cannot be read is told in the words of ssh', { skip }, async () => {
  await lab.configure('Hots x');
  const error = await launching(['x'], {}, (launcher) => refusal(launcher.start('x', agent)));
  assert.match(error.message, /^the ssh configuration cannot be used for x: .*Bad configuration option/);
});

test('without the program ssh defaults hold, and a failure says so', { skip }, async () => {
  const spec = hostSpec('127.0.0.1', { user: 'root', port: host.port });
  const before = process.env.PATH;
  process.env.PATH = lab.folder;
  try {
    const options = { identityFiles: [lab.key], knownHostsFiles: [lab.knownHosts] };
    const launcher = sshLauncher([spec], options);
    assert.equal(await exchangeLine(launcher.start('127.0.0.1', agent)), 'heard you');
    await launcher.close?.();
    const stranger = sshLauncher([spec], { ...options, knownHostsFiles: ['/dev/null'] });
    const error = await refusal(stranger.start('127.0.0.1', agent));
    assert.match(error.details.at(-1) ?? '', /^There is no program ssh here/);
    await stranger.close?.();
  } finally {
    process.env.PATH = before;
  }
});
