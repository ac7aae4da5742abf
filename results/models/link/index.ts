/** Costs of a link from the times of a run, as the `custom:` models of the software devices take them. */
export * from './device.ts';
export * from './fit.ts';
export * from './fitted-link.ts';
export * from './measurements.ts';
export * from './steps.ts';
