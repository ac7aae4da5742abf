import { type FixedChoice, seriesNameText } from '../../results/schema/index.ts';

/** Returns the part of a series' name that follows the transport: "@ring/LL"; '' if the series fixes nothing. */
export const suffixOf = ({ fixed }: { fixed: FixedChoice }): string =>
  seriesNameText({ transport: '', ...fixed });

/** Returns the series with the text of what they fix, for short expectations. */
export const withSuffixes = <T extends { fixed: FixedChoice }>(series: readonly T[]) =>
  series.map(({ fixed, ...others }) => ({ suffix: suffixOf({ fixed }), ...others }));
