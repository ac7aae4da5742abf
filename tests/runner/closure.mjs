// Which files reach which: imports of values among the TypeScript sources.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';

const statement =
  /^(?:import|export)\s[^;]*?from\s*'(\.[^']+)'|^import\s*'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'/gms;

/** Relative imports of a source, as paths from the root; types need no test run and are left out. */
export function importsOf(file, text) {
  return [...text.matchAll(statement)]
    .filter(([all]) => !/^(import|export)\s+type\s/.test(all))
    .map(([, ...targets]) =>
      path.join(
        path.dirname(file),
        targets.find((one) => one !== undefined),
      ),
    );
}

/** Everything that reaches one of `changed` through imports, those included. @param files all sources to look at */
export function reaching(changed, files) {
  const importers = new Map();
  for (const file of files)
    for (const target of importsOf(file, readFileSync(path.join(root, file), 'utf8')))
      importers.set(target, [...(importers.get(target) ?? []), file]);
  const reached = new Set(changed);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  return reached;
}

/** Test files of the nearest folder above a file that has some: what a file that nobody imports (a fixture) may concern. */
export function nearestTests(file, testFiles) {
  for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) {
    const found = testFiles.filter((test) => test.startsWith(`${folder}/`));
    if (found.length > 0) return found;
  }
  return [];
}

export const exists = (file) => existsSync(path.join(root, file));
