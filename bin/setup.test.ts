import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../results/package.ts';

test('the first build says how far it is, with ninja and with make', async () => {
  const { progressIn } = (await import(pathToFileURL(path.join(packageRoot, 'bin', 'setup.mjs')).href)) as {
    progressIn: (text: string) => string;
  };
  assert.equal(
    progressIn('$ cmake --build x\n[1/458] Building a.o\n[229/458] Building b.o\nwarning: [3/4]\n'),
    '50 %',
  );
  assert.equal(progressIn('[  3%] Building CXX object a.o\n[ 12%] Linking CXX b\n'), '12 %');
  assert.equal(progressIn('[457/458] Linking agent'), '99 %', 'all is built only when it ends');
  assert.equal(progressIn('added 120 packages\n'), '', 'npm does not say');
});
