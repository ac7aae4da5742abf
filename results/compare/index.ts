/** Compares two or more runs. The functions have no side effects. */
export { groupOf, regimeOf, seriesKeyOf } from '../derive/cells/cell-group.ts';
export { minimumDetectableEffect } from '../judge/detectable.ts';
export { changeText, effectText, intervalText, unconfirmedText } from '../judge/verdict-text.ts';
export * from './calibrate.ts';
export * from './compare-runs.ts';
export * from './gate.ts';
export { disturbanceOf } from './load.ts';
export * from './names.ts';
export * from './options.ts';
export { changedSettings, distinctLaunches as tellingLaunches } from './settings.ts';
