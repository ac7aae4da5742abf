import { rename, rm, writeFile } from 'node:fs/promises';
import { allPictures } from '../../reports/topology/pictures.ts';
import type { TopologyView } from '../../results/topology/index.ts';
import { CommandError } from '../exit.ts';

/**
 * Writes all pictures of a view into one SVG file, below each other; it appears whole or not at all.
 * @throws CommandError there is nothing to draw, or the file cannot be written
 */
export async function writePictures(view: TopologyView, file: string): Promise<void> {
  const svg = allPictures(view);
  if (svg === null) {
    throw new CommandError(`nothing can be drawn for ${file}`, [
      '  machines with devices, rings or trees are; what is known stands above',
    ]);
  }
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`, [
      '  name another one with --svg',
    ]);
  }
}
