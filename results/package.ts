// Where the files lie that collbench brings along: suites, reference runs, fonts, sources of its native parts.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of package.json: the nearest above this file, which also runs joined with others in dist/app. */
export const packageRoot = rootAbove(path.dirname(fileURLToPath(import.meta.url)));

/** @throws {Error} where no folder above has a package.json */
function rootAbove(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error('collbench: its own package.json was not found');
  return rootAbove(parent);
}

/** A file or folder of the package, by its path below package.json. */
export const packageFile = (...names: string[]): string => path.join(packageRoot, ...names);

export interface PackageFacts {
  version: string;
  /** Versions of packages that a user installs when they are needed. */
  peerDependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
}

export const packageFacts = (): PackageFacts =>
  JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as PackageFacts;
