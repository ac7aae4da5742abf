import { readFile } from 'node:fs/promises';
import { packageFile } from '../../results/package.ts';
import type { Face } from './theme.ts';

const weights = { normal: 400, bold: 700 } as const;
export type Weight = keyof typeof weights;

/** bin/bundle.mjs copies them there from the packages of the fonts. */
const fileOf = ({ file }: Face, weight: Weight, ending: string): string =>
  packageFile('dist', 'fonts', `${file}-latin-${weights[weight]}-normal.${ending}`);

/** For PDF. */
export const fontFile = (face: Face, weight: Weight): string => fileOf(face, weight, 'woff');

/** A style sheet with the font inside, so that an SVG looks the same on every machine. */
export async function fontStyle(face: Face): Promise<string> {
  const font = await readFile(fileOf(face, 'normal', 'woff2'));
  return `@font-face{font-family:"${face.family}";src:url(data:font/woff2;base64,${font.toString('base64')}) format("woff2")}`;
}
