import { isFields } from '../../results/collections.ts';
import { chartConfig, fonts, ink } from '../theme.ts';

/** Numbers of page columns that a figure may span in a paper: one or two (IEEE: 3.5 and 7.16 inches wide). */
export const columnNames = ['one', 'two'] as const;
export type PaperColumns = (typeof columnNames)[number];

/** A font that drawings embed, as its licence (SIL OFL 1.1) allows. */
export interface FontFace {
  /** Family name of the font in drawings. */
  family: string;
  /** Start of the names of the font's files. */
  file: string;
}

const serif: FontFace = { family: 'STIX Two Text', file: 'stix-two-text' };
/** A sans-serif font whose letters are as wide as those of Arial and Helvetica. */
const sans: FontFace = { family: 'Arimo', file: 'arimo' };

export interface FigureTheme {
  face: FontFace;
  /** CSS list of font families: the theme's font, then fallbacks if it is not installed. */
  font: string;
  inches: Record<PaperColumns, number>;
  /** Font size of titles, axis labels and legends, in points. */
  fontSize: number;
  /** Font size of texts within a plot, such as values at bars, in points. */
  smallSize: number;
  line: number;
  /** Area of a point's symbol, in square points (1/72 inch). */
  point: number;
  /** Height of a plot over x as a multiple of its width, for figures of one or two page columns. */
  height: Record<PaperColumns, number>;
  /** Colours of series in order, from a theme file; null = colours are chosen by transport. */
  colours: readonly string[] | null;
  /** Vega-Lite `config` of the theme, with the user's settings merged over it. */
  config: Record<string, unknown>;
}

export const themeNames = ['thesis', 'default', 'talk'] as const;
export type ThemeName = (typeof themeNames)[number];

const paper = {
  inches: { one: 3.5, two: 7.16 },
  height: { one: 0.56, two: 0.4 },
  fontSize: 8,
  smallSize: 7,
  line: 1,
  point: 12,
};

const rows: Record<ThemeName, Omit<FigureTheme, 'config' | 'colours'>> = {
  thesis: {
    ...paper,
    face: serif,
    font: '"STIX Two Text", "Times New Roman", Times, serif',
  },
  default: { ...paper, face: sans, font: `Arimo, ${fonts}` },
  // Widths for a slide that is 13.3 inches wide: a figure fills about half of it, or all of it.
  talk: {
    face: sans,
    font: `Arimo, ${fonts}`,
    inches: { one: 6.2, two: 12.4 },
    height: { one: 0.62, two: 0.42 },
    fontSize: 16,
    smallSize: 14,
    line: 2.2,
    point: 44,
  },
};

export function themeOf(name: ThemeName, user: Record<string, unknown> | null = null): FigureTheme {
  const row = rows[name];
  const own = configOf(row);
  const config = user === null ? own : mergeConfigs(own, user);
  return { ...row, config, colours: rangeOf(config) };
}

/** Returns the list of series colours (`range.category`) in a theme file's config; null if it has none. */
function rangeOf({ range }: Record<string, unknown>): string[] | null {
  const category = isFields(range) ? range.category : null;
  return Array.isArray(category) && category.length > 0 ? category.map(String) : null;
}

/** Returns the Vega-Lite `config` of all charts, with fonts and lengths replaced by those of a theme. */
const configOf = ({
  font,
  fontSize,
  line,
}: Omit<FigureTheme, 'config' | 'colours'>): Record<string, unknown> =>
  mergeConfigs(chartConfig, {
    font,
    padding: Math.round(fontSize / 4),
    axis: {
      labelFontSize: fontSize,
      titleFontSize: fontSize,
      titlePadding: fontSize / 2,
      labelPadding: fontSize / 4,
      gridWidth: line / 2,
      domainColor: ink.text,
      domainWidth: line / 2,
      tickColor: ink.text,
      tickWidth: line / 2,
      tickSize: fontSize / 3,
    },
    legend: {
      labelFontSize: fontSize,
      titleFontSize: fontSize,
      rowPadding: fontSize / 4,
      columnPadding: fontSize,
      offset: fontSize / 2,
    },
  });

/**
 * Merges two objects key by key, nested ones too, into a new one; other values and lists of the second replace those of the
 * first.
 */
function mergeConfigs(one: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown> {
  const all = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = all[key];
    all[key] = isFields(before) && isFields(value) ? mergeConfigs(before, value) : value;
  }
  return all;
}
