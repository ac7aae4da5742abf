import { join } from 'node:path';
import { type Background, emptyBackground } from '../../results/background.ts';
import { innerFolder } from '../../results/files/folders.ts';
import { replaceWhole } from '../../results/files/whole.ts';
import { StoreError } from '../../results/store/errors.ts';
import type { ReportRun } from '../series.ts';
import type { RenderedFigure } from './figure.ts';
import { buildPage } from './page.ts';
import { csvText } from './scripts/csv.ts';

export interface ReportFiles {
  /** Path of report.html. */
  html: string;
  /** Paths of the SVG and CSV files, in the order of the charts in the report. */
  figures: string[];
}

/**
 * Writes report.html, figures/*.svg and figures/*.csv. Each file is written completely or not at all. report.html is written last,
 * so that its links are always valid.
 * @param runs one run, or several whose series share charts
 * @param background earlier runs with which a single run is compared: the last comparable run, and recorded runs of similar
 * machines
 * @throws StoreError with the file and what to do, if the disk is full or the folder cannot be written; RangeError if `runs` is
 * empty
 */
export async function writeReport(
  runs: readonly ReportRun[],
  outDir: string,
  background: Background = emptyBackground,
): Promise<ReportFiles> {
  if (runs.length === 0) throw new RangeError('a report needs at least one run');
  const page = await buildPage(runs, background);
  const target = join(outDir, 'report.html');
  const figures = await writeFigures(page.figures, outDir);
  await writeWhole(target, page.html);
  return { html: target, figures };
}

/**
 * Writes the charts of a page as SVG and CSV files into the folder figures/ in `outDir`, which it creates. Resolves to the paths of
 * the files: for each chart the SVG, then the CSV.
 * @throws StoreError if a file cannot be written
 */
export async function writeFigures(all: readonly RenderedFigure[], outDir: string): Promise<string[]> {
  const folder = await explainWriteError(outDir, () => innerFolder(outDir, 'figures'));
  const paths: string[] = [];
  for (const { figure, svg } of all) {
    const path = join(folder, figure.name);
    await writeWhole(`${path}.svg`, `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`);
    await writeWhole(`${path}.csv`, csvText(figure.rows));
    paths.push(`${path}.svg`, `${path}.csv`);
  }
  return paths;
}

export async function writeWhole(path: string, text: string | Uint8Array): Promise<void> {
  await explainWriteError(path, () => replaceWhole(path, text));
}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota is used up; free some space',
  EACCES: 'the folder may not be written; choose another with --out',
  EPERM: 'the folder may not be written; choose another with --out',
  EROFS: 'the file system is read-only; choose another folder with --out',
  ENOTDIR: 'part of the path is a file; choose another folder with --out',
};

export async function explainWriteError<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why = reasons[code] ?? (error instanceof Error ? error.message : String(error));
    const text = `cannot write ${path}: ${why}. The measured configurations are kept; then: collbench report RUN`;
    throw new StoreError('write', path, text, { cause: error });
  }
}
