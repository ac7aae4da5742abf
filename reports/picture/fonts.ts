import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Sans-serif font families in order of preference, with patterns for the names of their regular and bold files. */
const families: readonly (readonly [family: string, files: RegExp])[] = [
  ['Liberation Sans', /^LiberationSans-(Regular|Bold)\.ttf$/],
  ['DejaVu Sans', /^DejaVuSans(-Bold)?\.ttf$/],
  ['Noto Sans', /^NotoSans-(Regular|Bold)\.ttf$/],
  ['Open Sans', /^OpenSans-(Regular|Bold)\.ttf$/],
  ['Roboto', /^Roboto-(Regular|Bold)\.ttf$/],
  ['Ubuntu', /^Ubuntu-(R|B)\.ttf$/],
  ['Cantarell', /^Cantarell-(Regular|Bold)\.otf$/],
  ['Arial', /^Arial( Bold)?\.ttf$/i],
  ['Helvetica', /^Helvetica\.ttc$/],
];

const usualFolders = (): string[] => [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  join(homedir(), '.local/share/fonts'),
  join(homedir(), '.fonts'),
  '/System/Library/Fonts',
  '/Library/Fonts',
];

export interface FontFiles {
  family: string;
  files: string[];
}

/**
 * Returns the first font family of the list `families` that is installed on this machine, with the paths of its files; null if none
 * is. Folders are searched five levels deep; those that do not exist or cannot be read are skipped.
 */
export function findFonts(folders: readonly string[] = usualFolders()): FontFiles | null {
  const all = folders.flatMap((folder) => filesIn(folder, 5));
  for (const [family, pattern] of families) {
    const files = all.filter(({ name }) => pattern.test(name)).map(({ path }) => path);
    if (files.length > 0) return { family, files };
  }
  return null;
}

function filesIn(folder: string, depth: number): { name: string; path: string }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return depth > 0 ? filesIn(path, depth - 1) : [];
      return [{ name: entry.name, path }];
    });
  } catch {
    return [];
  }
}
