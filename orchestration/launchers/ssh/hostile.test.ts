// test: e2e
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { sshLauncher } from './index.ts';
import { echoAgent, exchangeLine, hostSpec, refusal } from './testing/agents.ts';
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

/** Names that would create a file `executed` if a shell interpreted them; tests look for it in this folder only. */
const hostile = (folder: string): string[] => [
  `$(touch ${folder}/executed)`,
  `\`touch ${folder}/executed\``,
  `x;touch ${folder}/executed`,
  `x'; touch ${folder}/executed; '`,
  `x"; touch ${folder}/executed; "`,
  `x\ntouch ${folder}/executed\n`,
  `x | touch ${folder}/executed`,
  `x && touch ${folder}/executed #`,
  `-oProxyCommand=touch ${folder}/executed`,
  '--',
  '',
  '!!',
  '~root',
  'with space',
  'a*b?c[d]',
  'ünïcode ☃',
  '\\',
  '\t',
  "'",
  '$HOME %s %h \\n',
];

async function nothingRan(): Promise<void> {
  assert.ok(!(await readdir(lab.folder)).includes('executed'));
  assert.ok(!(await readdir(host.home)).includes('executed'));
}

test('hostile values of the environment arrive as they are', { skip }, async () => {
  const values = hostile(lab.folder);
  const environment = Object.fromEntries(values.map((value, i) => [`CB_TEST_${i}`, value]));
  for (const [name, value] of Object.entries(environment)) {
    const launcher = sshLauncher([hostSpec('box', { address: '127.0.0.1', port: host.port })], {
      configFile: lab.configFile,
      environment: { [name]: value },
    });
    assert.equal(await exchangeLine(launcher.start('box', agent), `env ${name}`), value.split('\n')[0]);
    await launcher.close?.();
  }
  await nothingRan();
});

test('hostile names of environment variables are refused', { skip }, async () => {
  for (const name of ['', '1A', 'A B', 'A=B', 'A;touch executed', '$(id)', 'Ä', '-n', 'A\nB']) {
    const launcher = sshLauncher([hostSpec('box', { address: '127.0.0.1', port: host.port })], {
      configFile: lab.configFile,
      environment: { [name]: 'x' },
    });
    assert.match(
      (await refusal(launcher.start('box', agent))).message,
      /is no name of an environment variable$/,
    );
    await launcher.close?.();
  }
  await nothingRan();
});

test('hostile host names, users and jump hosts are refused or fail, never executed', { skip }, async () => {
  await lab.configure(
    `Match exec "touch ${path.join(lab.folder, 'matched')}; test -n %h"\n  User root\nHost nowhere\n  ProxyJump none\n`,
  );
  for (const value of hostile(lab.folder)) {
    for (const more of [
      { address: value, port: host.port },
      { address: '127.0.0.1', user: value, port: host.port },
    ]) {
      const launcher = sshLauncher([hostSpec('box', more)], { configFile: lab.configFile });
      await refusal(launcher.start('box', agent));
      await launcher.close?.();
    }
  }
  await nothingRan();
});

test('a configuration with a ProxyCommand is not run by us', { skip }, async () => {
  await lab.configure(`Host proxied\n  ProxyCommand touch ${lab.folder}/executed\n`);
  const launcher = sshLauncher([hostSpec('proxied')], { configFile: lab.configFile });
  const error = await refusal(launcher.start('proxied', agent));
  assert.match(error.message, /is reached by a ProxyCommand/);
  assert.deepEqual(error.next, { change: { rsh: 'openssh' } });
  await nothingRan();
});
