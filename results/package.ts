// Finds the files that collbench ships: suites, reference runs, fonts, sources of the native parts.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder that contains package.json. It is searched upwards from this file, because the bundled file in dist/app is at another
 * depth.
 */
export const packageRoot = rootAbove(path.dirname(fileURLToPath(import.meta.url)));

/** Returns the nearest folder at or above `folder` that contains a package.json. @throws {Error} if there is none */
function rootAbove(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error('collbench: its own package.json was not found');
  return rootAbove(parent);
}

/**
 * Returns the path of a file or folder that collbench ships.
 * @param names parts of the path, relative to the folder of package.json
 */
export const packageFile = (...names: string[]): string => path.join(packageRoot, ...names);

export interface PackageFacts {
  version: string;
  /** Tested versions of the optional packages that write PDF and PNG, by name, in a released package.json. */
  peerDependencies?: Readonly<Record<string, string>>;
  /** Tested versions of the optional packages, by name, in the package.json of a source checkout. */
  optionalDependencies?: Readonly<Record<string, string>>;
}

export const packageFacts = (): PackageFacts =>
  JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as PackageFacts;

/**
 * Returns the npm command that installs optional packages, in the tested versions, in the folder in which this installation of
 * collbench finds them. It is one line to type into a shell.
 * @param names names of the packages, which package.json must list as optional
 */
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
