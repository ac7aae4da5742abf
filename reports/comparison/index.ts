/** Output of a comparison of runs: terminal, Markdown, page. */
export * from './calibration.ts';
export * from './document.ts';
