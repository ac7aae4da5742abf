import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { skipUnless, withFolder } from '../../../tests/e2e/harness.ts';
import { parseHosts } from '../../hosts/parse.ts';
import { StartError } from '../launcher.ts';
import { SshConfig } from './config.ts';

const skip = skipUnless(spawnSync('ssh', ['-V']).status === 0, 'there is no ssh');

const text = `
Host a*
  HostName %h.lab
  User "of a"
Host b
  Port 2222
Match user root
  IdentityFile /of/root
`;

test('hosts asked about together get the answers that each gets alone', { skip }, () =>
  withFolder(async (folder) => {
    const file = path.join(folder, 'config with blanks');
    await writeFile(file, text);
    const hosts = parseHosts('a1,a2,root@b,me@c:2277,[fe80::1],root@d');
    const [together, alone] = [new SshConfig(file), new SshConfig(file)];
    together.prefetch(hosts);
    const pick = (answer: Awaited<ReturnType<SshConfig['of']>>): unknown[] =>
      ['hostname', 'user', 'port', 'identityfile'].map((key) => answer?.get(key)?.[0]);
    for (const host of hosts) {
      const answer = await together.of(host);
      assert.deepEqual(answer, await alone.of(host), host.name);
      if (host.name === 'a2') assert.deepEqual(pick(answer).slice(0, 3), ['a2.lab', 'of a', '22']);
      if (host.name === 'b') assert.deepEqual(pick(answer), ['b', 'root', '2222', '/of/root']);
      if (host.name === 'c') assert.deepEqual(pick(answer).slice(0, 3), ['c', 'me', '2277']);
    }
  }),
);

test('a configuration that cannot be read is told for each host, in the words of ssh', { skip }, () =>
  withFolder(async (folder) => {
    const file = path.join(folder, 'config');
    await writeFile(file, 'Hots a\n');
    const hosts = parseHosts('a,b,c');
    const config = new SshConfig(file);
    config.prefetch(hosts);
    for (const host of hosts) {
      await assert.rejects(config.of(host), (error: Error) => {
        assert.ok(error instanceof StartError);
        assert.match(error.message, new RegExp(`cannot be used for ${host.name}: .*line 1: .*hots`, 'i'));
        return true;
      });
    }
  }),
);

test('a name that means something to a shell reaches none', { skip }, () =>
  withFolder(async (folder) => {
    const made = path.join(folder, 'made');
    const [good] = parseHosts('a');
    assert.ok(good !== undefined);
    const bad = { ...good, name: 'bad', address: `$(touch ${made})` };
    const config = new SshConfig(null);
    config.prefetch([bad, good, { ...good, name: 'e', address: 'e' }]);
    assert.notEqual(await config.of(good), null);
    await assert.rejects(config.of(bad), /which none can have/);
    await assert.rejects(writeFile(made, '', { flag: 'r' }), /ENOENT/);
  }),
);
