/** Runs held against each other, told. */
export * from './calibration.ts';
export * from './markdown.ts';
export * from './page.ts';
export * from './terminal.ts';
