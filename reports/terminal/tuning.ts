// Terminal output of `collbench tune`: the rules of a tuning table, and how many times as fast they are.
import type { TuningRule } from '../../results/schema/index.ts';
import { tableOf } from '../document/blocks.ts';
import { terminalText } from '../document/terminal.ts';
import { plural, sizeFlag, valueRange } from '../wording.ts';

/**
 * Returns the table of tuning rules (which algorithm to use for which sizes) as text for a terminal.
 * @param withoutInterval number of sizes for which no rule is possible, because a time has no interval
 * @param columns width of the terminal in characters
 */
export function tuningText(rules: readonly TuningRule[], withoutInterval: number, columns: number): string {
  const lead =
    rules.length === 0
      ? 'no rule: nowhere is an algorithm faster than the built-in choice by more than both 95 % intervals'
      : `${plural(rules.length, 'rule')}: faster than the built-in choice by more than both 95 % intervals (pipelined time)`;
  const rest = `${plural(withoutInterval, 'size')} without an interval: no rule there; raise --launches`;
  return terminalText(
    [
      { kind: 'paragraph', text: lead },
      tableOf<TuningRule>(
        [
          { head: 'transport', cell: ({ transport }) => transport },
          { head: 'collective', cell: ({ collective }) => collective },
          { head: 'ranks', cell: ({ ranks }) => valueRange(ranks, String) },
          { head: 'sizes', cell: ({ bytes }) => valueRange(bytes, sizeFlag) },
          { head: 'algorithm', cell: ({ algorithm }) => algorithm },
          { head: 'built-in', cell: ({ instead }) => instead },
          { head: 'speedup', cell: ({ gain }) => `${valueRange(gain, (x) => x.toFixed(2))} x` },
        ],
        rules,
      ),
      ...(withoutInterval > 0 ? [{ kind: 'paragraph' as const, text: rest }] : []),
    ],
    { columns, color: false },
  );
}
