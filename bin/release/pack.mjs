import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Packs a folder with npm, which sorts entries and sets fixed times, so that equal files give equal bytes.
 * @returns path of the tarball
 */
export function pack(folder, outputFolder) {
  const words = [
    'pack',
    folder,
    '--pack-destination',
    outputFolder,
    '--json',
    '--ignore-scripts',
    '--silent',
  ];
  const [{ filename }] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8' }));
  return join(outputFolder, filename.replace('@', '').replace('/', '-'));
}
