import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { environmentVariables } from '../reports/environment.ts';
import { packageRoot } from '../results/package.ts';

const documented = environmentVariables.flatMap(([names]) => names.split(', '));

/** Variables that collbench sets for its own processes, or that only its tests set. */
const internal = [
  'COLLBENCH_CPUS',
  'COLLBENCH_CUDA_LIBRARY',
  'COLLBENCH_MPI_REMOTE',
  'COLLBENCH_NVRTC_LIBRARY',
  'COLLBENCH_RECORD_DIR',
  'COLLBENCH_RECORD_LIBRARY',
  'COLLBENCH_RECORD_RING',
  'COLLBENCH_RECORD_TIMES',
  'COLLBENCH_RECORD_TOKEN',
  'COLLBENCH_SISCI_ADAPTER',
  'COLLBENCH_SISCI_FAULT',
  'COLLBENCH_SISCI_LIBRARY',
  'COLLBENCH_SISCI_LINK',
  'COLLBENCH_SISCI_PATH_PROOF',
  'COLLBENCH_SISCI_TOKEN',
  'COLLBENCH_WORKER',
];
/** Variables that every program reads. */
const usual = ['PATH'];

/** Texts of the product's source files by path. */
const sources = execFileSync(
  'git',
  ['ls-files', 'bin', 'suites', 'orchestration', 'results', 'reports', 'native'],
  {
    cwd: packageRoot,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => /\.(?:ts|cjs|mjs|cc|h|c)$/.test(file))
  .filter(
    (file) =>
      !/\.test\.ts$|\/(?:tests|fake|testing|fixtures|approved)\//.test(file) &&
      file !== 'reports/environment.ts',
  )
  .map((file) => [file, readFileSync(path.join(packageRoot, file), 'utf8')] as const);

/** Names of environment variables that a TypeScript or JavaScript source reads. */
function namesInScript(text: string): string[] {
  const direct = [...text.matchAll(/(?<!['"`])\benv\.([A-Z]\w*)/g)].map(([, name = '']) => name);
  const unpacked = [...text.matchAll(/\{([^{}]*)\}(?:: [\w.]+)? = (?:process\.)?env\b/g)].flatMap(
    ([, names = '']) => [...names.matchAll(/\b[A-Z][A-Z0-9_]+\b/g)].map(([name]) => name),
  );
  return [...direct, ...unpacked].filter((name) => name === name.toUpperCase());
}

const namesInNative = (text: string): string[] =>
  [...text.matchAll(/"(COLLBENCH_[A-Z_]+)"/g)].map(([, name = '']) => name);

test('help environment lists every variable that collbench reads, and no other', () => {
  const read = new Set(
    sources.flatMap(([file, text]) =>
      /\.(?:ts|cjs|mjs)$/.test(file) ? namesInScript(text) : namesInNative(text),
    ),
  );
  const undocumented = [...read].filter((name) => ![...documented, ...internal, ...usual].includes(name));
  assert.deepEqual(undocumented, []);
  const unread = [...documented, ...internal].filter(
    (name) => !sources.some(([, text]) => new RegExp(`\\b${name}\\b`).test(text)),
  );
  assert.deepEqual(unread, []);
});
