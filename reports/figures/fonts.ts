import { readFile } from 'node:fs/promises';
import { packageFile } from '../../results/package.ts';
import type { FontFace } from './theme.ts';

const weights = { normal: 400, bold: 700 } as const;
export type FontWeight = keyof typeof weights;

/**
 * Returns the path of a font file in the installed package. bin/bundle.mjs copies the files from the fonts' packages.
 * @param weight normal or bold
 * @param ending file name extension: "woff", "woff2"
 */
const fileOf = ({ file }: FontFace, weight: FontWeight, ending: string): string =>
  packageFile('dist', 'fonts', `${file}-latin-${weights[weight]}-normal.${ending}`);

/** Returns the path of the WOFF font file that a PDF embeds. */
export const fontFile = (face: FontFace, weight: FontWeight): string => fileOf(face, weight, 'woff');

/**
 * Returns a style sheet (CSS) that embeds the normal weight of the font, so that an SVG looks the same on every machine. Rejects if
 * the font's file cannot be read.
 */
export async function fontStyle(face: FontFace): Promise<string> {
  const font = await readFile(fileOf(face, 'normal', 'woff2'));
  return `@font-face{font-family:"${face.family}";src:url(data:font/woff2;base64,${font.toString('base64')}) format("woff2")}`;
}
