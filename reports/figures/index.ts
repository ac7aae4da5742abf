export type { MissingFigure, PaperItem } from './paper.ts';
export { type ThemeName, themeNames, themeOf } from './theme.ts';
export { parseConfig as configIn } from './theme-file.ts';
export { type FigureSetFiles, folderName, ThemeError, writeFigureSet } from './write.ts';
