import { type FixedChoice, seriesNameText } from '../../results/schema/index.ts';

/** Returns the part of a series' name that follows the transport: "@ring/LL"; '' if the series fixes nothing. */
export const suffixOf = ({ fixed }: { fixed: FixedChoice }): string =>
  seriesNameText({ transport: '', ...fixed });

/** Replaces what each series fixes by its text such as "@ring/LL", so that tests can compare with short texts. */
export const withSuffixes = <T extends { fixed: FixedChoice }>(series: readonly T[]) =>
  series.map(({ fixed, ...others }) => ({ suffix: suffixOf({ fixed }), ...others }));
