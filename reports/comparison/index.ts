/** Output of a comparison of runs: terminal, Markdown, page. */
export * from './calibration.ts';
export * from './markdown.ts';
export * from './page.ts';
export * from './terminal.ts';
