// Finds the files that depend on a file, by imports of values among the TypeScript sources.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';

const statement =
  /^(?:import|export)\s[^;]*?from\s*'(\.[^']+)'|^import\s*'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'/gms;

/** Relative imports of a source file, as paths from the root. Imports of types are left out: they need no test run. */
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

/** The files `changed`, and all files that import one of them directly or through others. @param files all sources to search */
export function reaching(changed, files) {
  const importers = new Map();
  for (const file of files)
    for (const target of importsOf(file, readFileSync(path.join(root, file), 'utf8')))
      importers.set(target, [...(importers.get(target) ?? []), file]);
  const reached = new Set(changed);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  return reached;
}

/** Test files of the nearest folder above a file that has some. They may use a file that no module imports, such as a fixture. */
export function nearestTests(file, testFiles) {
  for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) {
    const found = testFiles.filter((test) => test.startsWith(`${folder}/`));
    if (found.length > 0) return found;
  }
  return [];
}

export const exists = (file) => existsSync(path.join(root, file));
