// `npm run release`: tarballs, their checksums and the list of what is in them, into dist/release.
//   node bin/release/main.mjs           all packages
//   node bin/release/main.mjs --main    without the prebuilt native parts
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../current.cjs';
import { architectures, buildMainPackage } from './main-package.mjs';
import { billOfMaterials } from './materials.mjs';

const folder = join(root, 'dist/release');
const isMainAlone = process.argv.includes('--main');

const said = (text) => process.stderr.write(`release: ${text}\n`);

/** Warns of uncommitted changes, because such a release cannot be rebuilt. */
function warnOfChanges() {
  const changed = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  if (changed !== '') said('the working tree has changes that no commit holds');
}

warnOfChanges();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
said(`${await buildMainPackage(folder)}`);
if (!isMainAlone) {
  const { buildNativePackage } = await import('./native-package.mjs');
  for (const architecture of architectures) said(`${await buildNativePackage(architecture, folder)}`);
}
writeFileSync(join(folder, 'collbench.cdx.json'), billOfMaterials());
const sums = readdirSync(folder)
  .sort()
  .map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
  );
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
said(`${join(folder, 'SHA256SUMS')}`);
