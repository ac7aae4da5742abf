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
  /** Packages that write PDF and PNG, as a release names them. */
  peerDependencies?: Readonly<Record<string, string>>;
  /** The same packages in a checkout. */
  optionalDependencies?: Readonly<Record<string, string>>;
}

export const packageFacts = (): PackageFacts =>
  JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as PackageFacts;

/** The command that installs optional packages where this installation finds them, in the versions it was tested with. */
export function installCommand(...names: readonly string[]): string {
  const { peerDependencies, optionalDependencies } = packageFacts();
  const versions = peerDependencies ?? optionalDependencies;
  const words = names.map((name) => `${name}@${versions?.[name]}`).join(' ');
  const modules = path.dirname(packageRoot);
  if (path.basename(modules) !== 'node_modules') return `npm install --no-save ${words}`;
  const prefix = path.dirname(modules);
  return path.basename(prefix) === 'lib'
    ? `npm install --global --prefix ${path.dirname(prefix)} ${words}`
    : `npm install --prefix ${prefix} ${words}`;
}
