// Options of `collbench compare`.
import { type AllowedDifference, allowanceNames } from '../../results/schema/index.ts';
import { ValueError } from '../../suites/options/flag.ts';
import { listOf } from '../../suites/options/values.ts';

/**
 * Parses a share above 0 and below 1: "2%", "2 %" and "0.02" are 0.02.
 * @throws {ValueError} if the text is no such share
 */
export function share(text: string): number {
  const [, number, percent] = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)\s*$/.exec(text) ?? [];
  if (number === undefined) throw new ValueError('not a share');
  const value = Number(number) / (percent === '%' ? 100 : 1);
  if (!(value > 0)) throw new ValueError('not above 0');
  if (value >= 1) throw new ValueError('100 % or more');
  return value;
}

const shareAllowed = 'above 0 and below 100 %: 2%, 0.5%, 0.02';

export const compareFlags = {
  threshold: {
    name: 'threshold',
    value: 'SHARE',
    shown: '2%',
    allowed: shareAllowed,
    help: 'Changes of a size range below this threshold never count as slower or faster.',
    example: '--threshold 1%',
    parse: share,
  },
  cellThreshold: {
    name: 'cell-threshold',
    value: 'SHARE',
    shown: '4%',
    allowed: shareAllowed,
    help: 'The same for a single size.',
    example: '--cell-threshold 10%',
    parse: share,
  },
  allow: {
    name: 'allow',
    value: 'WHAT,..',
    shown: 'nothing',
    allowed: `all, or names out of ${allowanceNames.join(', ')}`,
    help: 'Differences that do not prevent a comparison.',
    example: '--allow medium',
    parse: listOf<AllowedDifference>(allowanceNames),
  },
  excludeFlagged: {
    name: 'exclude-flagged',
    shown: 'off',
    allowed: 'true or false',
    help: 'Leave out configurations with a flag (busy machine, late starts, ...) in either run.',
    example: '--exclude-flagged',
  },
  all: {
    name: 'all',
    shown: 'off: those that changed',
    allowed: 'true or false',
    help: 'Print every size.',
    example: '--all',
  },
  markdown: {
    name: 'markdown',
    shown: 'off',
    allowed: 'true or false',
    help: 'Print Markdown for a pull request.',
    example: '--markdown',
  },
  html: {
    name: 'html',
    value: 'FILE',
    shown: 'none',
    allowed: 'a file in a folder that can be written',
    help: 'Also write one self-contained HTML page.',
    example: '--html compared.html',
    parse: (text: string): string => text,
  },
  failOn: {
    name: 'fail-on',
    value: 'WHAT',
    shown: 'nothing: the exit code is 0',
    allowed: 'slower, changed',
    help: 'Exit 4 if a size range or size is slower (changed: or faster), 5 if one looks much slower but is not confirmed, or if there is no verdict.',
    example: '--fail-on slower',
    parse: (text: string): 'slower' | 'changed' => {
      if (text !== 'slower' && text !== 'changed') throw new ValueError('neither');
      return text;
    },
  },
  visible: {
    name: 'visible',
    value: 'SHARE',
    shown: '10%',
    allowed: shareAllowed,
    help: 'With --fail-on: a size range too noisy to detect this change gives no verdict (exit 5).',
    example: '--visible 5%',
    parse: share,
  },
} as const;
