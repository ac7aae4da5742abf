/** Fit of link costs to the times of a run, for the `custom:` models of the software devices. */
export * from './device.ts';
export * from './fit.ts';
export * from './fitted-link.ts';
export * from './measurements.ts';
export * from './steps.ts';
