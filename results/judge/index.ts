/** How a change is told from chance, whatever the reference: another run, another night, earlier nights. Pure functions. */
export * from './benjamini-hochberg.ts';
export * from './decide.ts';
export * from './detectable.ts';
export * from './difference.ts';
export * from './references.ts';
export * from './side.ts';
