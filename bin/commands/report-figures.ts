// `report --figures thesis`: figures and tables for print.
import type { FigureSetFiles } from '../../reports/figures/write.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { LoadedRun } from '../../results/store/types.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { printText } from '../terminal.ts';

export interface FigureOptions {
  theme: string;
  themeFile: string | undefined;
}

/** Maximum size in bytes of a Vega config. People write these files by hand, so a larger file is a mistake. */
const maxThemeBytes = 2 ** 20;

async function configOf(file: string | undefined): Promise<Record<string, unknown> | null> {
  if (file === undefined) return null;
  const { readPlainText } = await import('../../results/files/plain.ts');
  const { parseConfig } = await import('../../reports/figures/theme-file.ts');
  const text = await readPlainText(file, maxThemeBytes).catch((error: unknown) => {
    throw refuse('theme-file-unreadable', {
      file,
      why: error instanceof Error ? error.message : String(error),
    });
  });
  return parseConfig(text, file);
}

/**
 * Writes the figures and tables of `report --figures` for these runs, and prints which were made and which could not be made. Sets
 * `process.exitCode`: 0 if at least one figure was made, otherwise 2.
 * @param outDir folder in which the files get a folder of their own
 * @throws Refusal if the theme file cannot be read or used
 */
export async function writeFigures(
  runs: readonly LoadedRun[],
  outDir: string,
  { theme, themeFile }: FigureOptions,
): Promise<void> {
  const config = await configOf(themeFile);
  const { writeFigureSet, ThemeError } = await import('../../reports/figures/write.ts');
  const { themeOf, themeNames } = await import('../../reports/figures/theme.ts');
  const name = themeNames.find((one) => one === theme) ?? 'thesis';
  const plain = themeOf(name);
  const themed = themeFile === undefined ? plain : themeOf(name, config);
  const written = await writeFigureSet(runs, outDir, themed, plain).catch((error: unknown) => {
    if (!(error instanceof ThemeError) || themeFile === undefined) throw error;
    throw refuse('theme-file-refused', { file: themeFile, why: error.message });
  });
  printText(said(written));
  process.exitCode = written.papers.some(({ kind }) => kind === 'figure') ? exitCode.ok : exitCode.notRun;
}

function said({ folder, papers, missing, files }: FigureSetFiles): string {
  const drawn = papers.map(({ kind, name, title }) => `${kind.padEnd(6)}  ${name}  ${title}\n`);
  const lacking = missing.map(
    ({ of, title, needs, run }) => `no ${of} '${title}': needs ${needs}\n        ${run}\n`,
  );
  return `${drawn.join('')}${lacking.join('')}figures: ${folder} (${files.length} files; LaTeX: \\input{figures.tex})\n`;
}
