import assert from 'node:assert/strict';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { processesOf, start, withFolder } from './harness.ts';

test('the token of a launch is in no argument and no environment variable, log or run folder', () =>
  withFolder(async (folder) => {
    // Shells of two hosts on this machine, whose input is kept: the token comes with it.
    const shell = path.join(folder, 'shell');
    await writeFile(shell, `#!/bin/sh\ntee -a "${folder}/input-$1" | sh\n`);
    await chmod(shell, 0o755);
    const sizes = '8,16,32,64,128,256,512,1K,2K,4K,8K,16K,32K,64K,128K,256K';
    const started = start(
      [
        ...['allreduce', '--sizes', sizes, '--launches', '1', '--precision', 'off', '--interface', 'lo'],
        ...['--hosts', '127.0.0.1:2,127.0.0.2:2', '--launcher', `command:${shell} {host}`],
      ],
      { cwd: folder },
    );
    await started.sees(/\n\s+8\s+2 /);
    const seen = await Promise.all(
      (await processesOf(started.marker)).map(async ({ pid, command }) => {
        const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
        return `${command}\n${environment}`;
      }),
    );
    started.child.kill('SIGINT');
    assert.equal((await started.ended).code, 130);
    const input = await readFile(path.join(folder, 'input-127.0.0.1'), 'latin1');
    const [, token = ''] = /"token":"([^"]{16,})"/.exec(input) ?? [];
    assert.notEqual(token, '', 'the token was not found in the input of the agent');
    assert.ok(seen.some((text) => text.includes('collbench-agent rank')));
    for (const text of seen) assert.ok(!text.includes(token), text.slice(0, 200));
    const runs = path.join(folder, 'collbench-runs');
    for (const entry of await readdir(runs, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = await readFile(path.join(entry.parentPath, entry.name), 'latin1');
      assert.ok(!text.includes(token), entry.name);
    }
  }));
