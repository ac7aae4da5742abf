// Sentences about how many configurations have each flag, shared by suites, gates and captions.
import { flagMeanings } from '../results/derive/cells/flags.ts';
import { formatCount, plural } from './wording.ts';

/** Maximum number of flag names in a sentence; further flags are only counted. */
const maxNames = 3;

/**
 * Returns "flagged: 336 configurations oversubscribed (more ranks than ...), 120 cpu-busy (...) and 2 more flags"; "" without
 * flags. The most frequent flags come first, at most three by name. A flag is a remark about the conditions of a measurement.
 * @param counts number of flagged configurations by name of the flag
 */
export function flagsSentence(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  if (sorted.length === 0) return '';
  const named = sorted.slice(0, maxNames).map(([name, count], i) => {
    const meaning = flagMeanings[name];
    const how = i === 0 ? plural(count, 'configuration') : formatCount(count);
    return `${how} ${name}${meaning === undefined ? '' : ` (${meaning})`}`;
  });
  const more = sorted.length - maxNames;
  return `flagged: ${named.join(', ')}${more > 0 ? ` and ${plural(more, 'more flag')}` : ''}`;
}

/**
 * Returns a clause such as "514 of 516 flagged (336 oversubscribed, 120 cpu-busy, 58 late)" to be used within a sentence; "" if
 * `flagged` is 0. The most frequent flags come first; "..." replaces those after the third.
 * @param flagged number of configurations with at least one flag
 * @param all number of all configurations
 * @param counts number of flagged configurations by name of the flag
 */
export function flagSummary(flagged: number, all: number, counts: Readonly<Record<string, number>>): string {
  if (flagged === 0) return '';
  const sorted = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  const named = sorted.slice(0, maxNames).map(([name, count]) => `${formatCount(count)} ${name}`);
  const more = sorted.length > maxNames ? ', ...' : '';
  return `${formatCount(flagged)} of ${formatCount(all)} flagged (${named.join(', ')}${more})`;
}
