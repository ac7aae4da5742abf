import { join } from 'node:path';
import { innerFolder, makeFolder } from '../../results/files/folders.ts';
import { csvText } from '../html/scripts/csv.ts';
import { explainWriteError, writeWhole } from '../html/write.ts';
import type { ReportRun } from '../series.ts';
import { contentsOf } from './contents.ts';
import { drawerOf } from './draw.ts';
import { gather } from './gather.ts';
import {
  filesOf,
  type MissingFigure,
  missingText,
  type PaperItem,
  splitCaption,
  tableParts,
} from './paper.ts';
import { captionsTex, indexTex, tableTex } from './tex.ts';
import { columnNames, type FigureTheme } from './theme.ts';

export interface FigureSetFiles {
  folder: string;
  papers: readonly PaperItem[];
  missing: readonly MissingFigure[];
  /** Names of all written files, relative to the folder, in the order in which they were written. */
  files: string[];
}

/** Thrown if a figure can be drawn without the user's theme file, but not with it. The message comes from Vega. */
export class ThemeError extends Error {}

export const folderName = 'figures-thesis';

/**
 * Draws those figures and tables for papers (contents.ts lists them) for which the runs have data. Writes them, their data and
 * captions to the folder `figures-thesis` in `outDir`. It creates both folders, and replaces files of the same names.
 * @param theme theme with the user's Vega-Lite config merged in
 * @param plain the theme without the user's config; default: `theme`, if the user has none
 * @throws StoreError if the folder cannot be written; ThemeError if the user's config prevents a figure; Refusal if PDF packages
 * are missing
 */
export async function writeFigureSet(
  runs: readonly ReportRun[],
  outDir: string,
  theme: FigureTheme,
  plain = theme,
): Promise<FigureSetFiles> {
  const drawer = await drawerOf(theme);
  const material = await gather(runs, theme);
  const { papers, missing } = await contentsOf(material);
  await explainWriteError(outDir, () => makeFolder(outDir));
  const folder = await explainWriteError(outDir, () => innerFolder(outDir, folderName));
  const files: string[] = [];
  const write = async (name: string, content: string | Buffer): Promise<void> => {
    await writeWhole(join(folder, name), content);
    files.push(name);
  };
  for (const paper of papers) {
    const file = paper.name;
    if (paper.kind === 'table') {
      const names = filesOf(paper);
      for (const [i, part] of tableParts(paper).entries()) await write(`${names[i]}.tex`, tableTex(part));
    } else
      for (const columns of columnNames) {
        const names = { title: paper.title, description: paper.caption, id: `${file}-${columns}` };
        const draw = (by: FigureTheme) =>
          drawer.draw(paper.panels({ theme: by, columns, measure: drawer.measure }), names);
        const { svg, pdf } = await draw(theme).catch(async (error: Error) => {
          if (plain === theme) throw error;
          // If drawing fails without the user's config too, that error is thrown instead of a ThemeError.
          await draw(plain);
          throw new ThemeError(error.message, { cause: error });
        });
        await write(`${file}-${columns}.svg`, `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`);
        await write(`${file}-${columns}.pdf`, pdf);
      }
    await write(`${file}.csv`, csvText(paper.rows));
  }
  await write('captions.tex', captionsTex(papers));
  await write('captions.md', captionsMarkdown(papers, missing));
  await write('figures.tex', indexTex(papers, missing));
  return { folder, papers, missing, files };
}

function captionMarkdown(paper: PaperItem): string {
  const { title, rest } = splitCaption(paper);
  return `**${title}**${rest} (\`${filesOf(paper).join('`, `')}\`)\n`;
}

const captionsMarkdown = (papers: readonly PaperItem[], missing: readonly MissingFigure[]): string =>
  `# Captions

${papers.map(captionMarkdown).join('\n')}
${missing.map((one) => `${missingText(one)} Measure it with \`${one.run}\`.\n`).join('\n')}`;
