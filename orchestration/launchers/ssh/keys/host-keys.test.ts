// test: e2e
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { sshLauncher } from '../index.ts';
import { echoAgent, exchangeLine, hostSpec, refusal } from '../testing/agents.ts';
import { SshLab, skip, type TestSshd } from '../testing/sshd.ts';

const run = promisify(execFile);
let lab: SshLab;
let host: TestSshd;
let agent: string;
let name: string;
before(async () => {
  if (skip !== false) return;
  lab = await SshLab.open();
  host = await lab.host({ hostKeys: ['ed25519', 'rsa'] });
  agent = await echoAgent(lab);
  name = `[127.0.0.1]:${host.port}`;
});
after(() => lab?.close());

async function starting<T>(body: (agent: ReturnType<ReturnType<typeof sshLauncher>['start']>) => Promise<T>) {
  const launcher = sshLauncher([hostSpec('box', { address: '127.0.0.1', port: host.port })], {
    configFile: lab.configFile,
  });
  try {
    return await body(launcher.start('box', agent));
  } finally {
    await launcher.close?.();
  }
}

async function fingerprintOf(publicKey: string): Promise<string> {
  const file = `${lab.folder}/shown.pub`;
  await promisify(execFile)('sh', ['-c', 'printf "%s\\n" "$1" > "$2"', 'sh', publicKey, file]);
  return (await run('ssh-keygen', ['-lf', file])).stdout.split(' ')[1] ?? '';
}

test('a key that is not known is refused, with its fingerprint and the way out', { skip }, async () => {
  await lab.know();
  const error = await starting(refusal);
  const fingerprint = await fingerprintOf(host.publicKeys[0] ?? '');
  assert.equal(error.message, `the host key of box is not known yet: ssh-ed25519 ${fingerprint}`);
  assert.equal(error.next, `ssh -p ${host.port} root@127.0.0.1`);
  assert.ok(
    error.details.join('\n').includes(`ssh-keyscan -p ${host.port} 127.0.0.1 >> '${lab.knownHosts}'`),
  );
  assert.equal(await readFile(lab.knownHosts, 'utf8'), '');
});

test('StrictHostKeyChecking no does not make an unknown key good', { skip }, async () => {
  await lab.know();
  await lab.configure('StrictHostKeyChecking no');
  const error = await starting(refusal);
  await lab.configure('');
  assert.match(error.message, /is not known yet/);
  assert.match(error.details.join('\n'), /StrictHostKeyChecking (no|false) is ignored/);
});

test('a changed key names file and line', { skip }, async () => {
  const other = (await readFile(`${lab.key}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ');
  await lab.know('# a comment', `${name} ${other}`);
  const error = await starting(refusal);
  assert.match(error.message, /^the host key of box has CHANGED/);
  assert.ok(error.details[0]?.includes(`${lab.knownHosts}:2 has ssh-ed25519 ${await fingerprintOf(other)}`));
  assert.equal(error.next, `ssh-keygen -R '${name}' -f '${lab.knownHosts}'`);
});

test('a host known by a type of key it has no more', { skip }, async () => {
  const key = await lab.newKey('old_ecdsa', 'ecdsa');
  const other = (await readFile(`${key}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ');
  await lab.know(`${name} ${other}`);
  const error = await starting(refusal);
  assert.match(error.message, /has CHANGED/);
  assert.match(error.details[0] ?? '', /no key of type ecdsa-sha2-nistp256 any more/);
});

test('a host known by its RSA key is asked for that one', { skip }, async () => {
  await lab.know(`${name} ${host.publicKeys[1]}`);
  assert.equal(await starting((started) => exchangeLine(started)), 'heard you');
});

test('a hashed name is found', { skip }, async () => {
  await lab.know(`other ${host.publicKeys[1]}`, `${name} ${host.publicKeys[0]}`);
  await run('ssh-keygen', ['-H', '-f', lab.knownHosts]);
  const hashed = await readFile(lab.knownHosts, 'utf8');
  assert.match(hashed, /^\|1\|/m);
  assert.ok(!hashed.includes(name));
  assert.equal(await starting((started) => exchangeLine(started)), 'heard you');
});

test('patterns, with one that takes a host out again', { skip }, async () => {
  await lab.know(`[127.0.0.*]:*,!elsewhere ${host.publicKeys[0]}`);
  assert.equal(await starting((started) => exchangeLine(started)), 'heard you');
  await lab.know(`[127.0.0.*]:*,!${name} ${host.publicKeys[0]}`);
  assert.match((await starting(refusal)).message, /is not known yet/);
});

test('a key known for the host without its port', { skip }, async () => {
  for (const publicKey of host.publicKeys) {
    await lab.know(`127.0.0.1 ${publicKey}`);
    assert.equal(await starting((started) => exchangeLine(started)), 'heard you', publicKey);
  }
});

test('an alias for the host key', { skip }, async () => {
  await lab.know(`cluster ${host.publicKeys[0]}`);
  await lab.configure('HostKeyAlias cluster');
  assert.equal(await starting((started) => exchangeLine(started)), 'heard you');
  await lab.know('');
  const error = await starting(refusal);
  assert.match(error.message, /is not known yet/);
  assert.match(error.details[0] ?? '', /^cluster is in none of/);
  const where = `-p ${host.port}`;
  assert.ok(error.details[1]?.includes(`ssh-keyscan ${where} 127.0.0.1 | sed 's|^[^ ]*|cluster|' >> `));
  assert.match(String(error.next), new RegExp(`^ssh -o HostKeyAlias=cluster ${where} \\S+@127.0.0.1$`));
  await lab.configure('');
});

test('a revoked key is refused though it is known', { skip }, async () => {
  await lab.know(`${name} ${host.publicKeys[0]}`, `@revoked * ${host.publicKeys[0]}`);
  const error = await starting(refusal);
  assert.equal(error.message, 'the host key of box is revoked');
  assert.ok(error.details[0]?.includes(`${lab.knownHosts}:2`));
});

test('a list of revoked keys: points to --rsh openssh', { skip }, async () => {
  await lab.know(`${name} ${host.publicKeys[0]}`);
  await lab.configure(`RevokedHostKeys ${lab.folder}/revoked`);
  const error = await starting(refusal);
  assert.match(error.message, /^box has a list of revoked host keys/);
  assert.deepEqual(error.next, { change: { rsh: 'openssh' } });
  await lab.configure('RevokedHostKeys none');
  assert.equal(await starting((started) => exchangeLine(started)), 'heard you');
  await lab.configure('');
});

test('a certificate authority alone: points to --rsh openssh', { skip }, async () => {
  await lab.know(`@cert-authority [127.0.0.1]:* ${host.publicKeys[1]}`);
  const error = await starting(refusal);
  assert.match(error.message, /^box is known by a certificate authority only/);
  assert.deepEqual(error.next, { change: { rsh: 'openssh' } });
});

test('a type of key that the built-in ssh does not know: points to --rsh openssh', { skip }, async () => {
  await lab.know(`${name} sk-ssh-ed25519@openssh.com AAAA`);
  const error = await starting(refusal);
  assert.match(error.message, /^box is known by a key of type sk-ssh-ed25519@openssh\.com only/);
  assert.deepEqual(error.next, { change: { rsh: 'openssh' } });
});
