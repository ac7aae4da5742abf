import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { recordingEnvironment } from './environment.ts';
import { buildPreloaded, splitsPreload } from './preloaded.ts';

for (const name of ['plain', 'with space', 'with:colon', 'new\nline']) {
  test(`folder ${JSON.stringify(name)}: what is preloaded is ours, and nothing is looked up beside the job`, (t) => {
    const base = mkdtempSync(path.join(tmpdir(), 'collbench-preloaded-'));
    t.after(() => rmSync(base, { recursive: true, force: true }));
    // Any object file can replace the output of an MPI compiler here.
    const mpicc = path.join(base, 'mpicc');
    writeFileSync(
      mpicc,
      '#!/bin/sh\nfor word; do object="$word"; done\nexec cc -fPIC -c -x c /dev/null -o "$object"\n',
    );
    chmodSync(mpicc, 0o755);
    const folder = path.join(base, name);
    // A library under each name for which the rest of the path could be mistaken.
    const planted = `${name.split(splitsPreload).at(-1)}/libcollbench-record-mpi.so`;
    const job = path.join(base, 'job');
    for (const one of [folder, path.join(job, path.dirname(planted))]) mkdirSync(one, { recursive: true });
    writeFileSync(
      path.join(base, 'planted.c'),
      '#include <stdio.h>\n__attribute__((constructor)) static void f(void) { puts("planted"); }\n',
    );
    execFileSync('cc', ['-shared', '-fPIC', '-o', path.join(job, planted), path.join(base, 'planted.c')]);

    const built = buildPreloaded(mpicc, folder);
    assert.ok('file' in built, JSON.stringify(built));
    const env = recordingEnvironment(process.env, {
      ...{ folder, token: 'x', times: 'auto' as const, plugin: null, python: null },
      preloaded: { file: built.file, opens: built.file },
    });
    const maps = spawnSync('cat', ['/proc/self/maps'], { cwd: job, env, encoding: 'utf8' });
    assert.equal(maps.stderr, '', 'the loader has nothing to complain about');
    assert.ok(maps.stdout.includes(`${built.file}\n`), 'it is loaded');
    assert.doesNotMatch(maps.stdout, /planted/);
    built.remove();
    assert.ok(!existsSync(built.file));
    assert.equal(existsSync(path.dirname(built.file)), path.dirname(built.file) === folder);
  });
}
