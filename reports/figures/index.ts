export type { Missing, Paper } from './paper.ts';
export { type ThemeName, themeNames, themeOf } from './theme.ts';
export { configIn } from './theme-file.ts';
export { folderName, ThemeRefused, type WrittenSet, writeFigureSet } from './write.ts';
