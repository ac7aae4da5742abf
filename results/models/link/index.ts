/** Determines the costs of a link from measured times, for `custom:` link models of the software devices. */
export * from './device.ts';
export * from './fit.ts';
export * from './fitted-link.ts';
export * from './measurements.ts';
export * from './steps.ts';
