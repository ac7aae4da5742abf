import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { refusalText } from '../../results/testing/refused.ts';
import { findMpirun, mpirunWords, usesMpi } from './mpi.ts';

/** Calls `body` with a program of this content. */
function withProgram(content: string | Buffer, body: (file: string) => void): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-mpi-'));
  const file = path.join(folder, 'program');
  writeFileSync(file, content);
  chmodSync(file, 0o755);
  try {
    body(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const [library, expected] of [
  ['libmpi.so.40', true],
  ['libmpi.so', true],
  ['libmpich.so.12', true],
  ['libmpi_ibm.so.3', true],
  ['libnccl.so.2', false],
  ['libmpfr.so.6', false],
] as const) {
  test(`a program that needs ${library} is ${expected ? '' : 'not '}built with MPI`, () => {
    const bytes = Buffer.concat([
      Buffer.from([0x7f, 0x45, 0xff, 0]),
      Buffer.from(library),
      Buffer.of(0, 0x80),
    ]);
    withProgram(bytes, (file) => assert.equal(usesMpi(file), expected));
  });
}

test('mpirun says which MPI it belongs to', () => {
  for (const [said, isOpenMpi] of [
    ['mpirun (Open MPI) 4.1.4', true],
    ['HYDRA build details:', false],
  ] as const) {
    withProgram(`#!/bin/sh\necho "${said}"\n`, (file) =>
      assert.deepEqual(findMpirun(file, 'all_reduce_perf'), { file, isOpenMpi }),
    );
  }
});

test('no mpirun: one clear error with the way out', () => {
  const error = (requested: string | null) => refusalText(() => findMpirun(requested, '/x/all_reduce_perf'));
  assert.match(error('/nowhere/mpirun'), /^--mpirun \/nowhere\/mpirun: not found\n/);
  const before = process.env.PATH;
  process.env.PATH = '/nowhere';
  try {
    assert.match(
      error(null),
      /^mpirun: not found in PATH\n.*\/x\/all_reduce_perf was built with MPI[\s\S]*--mpirun/,
    );
  } finally {
    process.env.PATH = before;
  }
});

test('Open MPI gets the variables by name and does not bind; another MPI only the number of processes', () => {
  const env = {
    LD_LIBRARY_PATH: '/l',
    CUDA_VISIBLE_DEVICES: '0,1',
    NCCL_DEBUG: 'VERSION',
    HOME: '/',
    MY_NCCL_X: '',
  };
  const words = mpirunWords({ file: 'mpirun', isOpenMpi: true }, 2, env).filter(
    (word) => word !== '--allow-run-as-root',
  );
  assert.equal(
    words.join(' '),
    'mpirun -np 2 --bind-to none -x LD_LIBRARY_PATH -x CUDA_VISIBLE_DEVICES -x NCCL_DEBUG',
  );
  assert.deepEqual(mpirunWords({ file: '/m/mpirun', isOpenMpi: false }, 8, env), ['/m/mpirun', '-np', '8']);
});
