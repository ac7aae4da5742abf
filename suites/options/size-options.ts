import { parseSize } from '../sizes.ts';
import { inGroup, type OptionValues } from './option.ts';
import { positive, size, sizeAllowed, splitWords, ValueError } from './values.ts';

export const sizeOptionRows = inGroup('Sizes', {
  min: {
    synonyms: ['begin', 'start', 'min-size', 'min-bytes', 'from'],
    alias: ['b', 'minbytes'],
    value: 'SIZE',
    default: 8,
    allowed: sizeAllowed,
    describe: 'Smallest message. Whole elements of the data type; 0 is allowed.',
    example: '--min 8 --max 1G',
    coerce: size,
  },
  max: {
    synonyms: ['end', 'stop', 'max-size', 'max-bytes', 'to'],
    alias: ['e', 'maxbytes'],
    value: 'SIZE',
    default: 64 * 2 ** 20,
    defaultDescription: '64M; 16M point to point',
    allowed: sizeAllowed,
    describe: 'Largest message.',
    example: '--min 1K --max 256M',
    coerce: size,
  },
  factor: {
    synonyms: ['multiplier', 'step-factor'],
    alias: ['f', 'stepfactor'],
    value: 'N',
    default: 2,
    allowed: 'a number above 1',
    describe: 'Factor between sizes.',
    example: '--factor 4',
    coerce: (value) => {
      const factor = positive(value);
      if (factor <= 1) throw new ValueError('sizes would not grow');
      return factor;
    },
  },
  step: {
    conflicts: ['factor'],
    alias: ['i', 'stepbytes'],
    value: 'SIZE',
    default: null,
    allowed: `${sizeAllowed}; above 0`,
    describe: 'Step between sizes; instead of --factor.',
    example: '--min 1M --max 8M --step 1M',
    coerce: (value) => {
      const step = size(value);
      if (step === 0) throw new ValueError('sizes would not grow');
      return step;
    },
  },
  sizes: {
    synonyms: ['size', 'bytes', 'message-size', 'message-sizes', 'msg-size', 'length'],
    conflicts: ['min', 'max', 'factor', 'step'],
    value: 'LIST',
    default: null,
    allowed: `a comma list of sizes (${sizeAllowed})`,
    describe: 'Exactly these sizes; instead of --min, --max, --factor and --step.',
    example: '--sizes 8,1K,1000000',
    coerce: (value) => {
      const items = splitWords(value);
      if (items.length === 0) throw new ValueError('empty');
      return items.map((item) => {
        const bytes = parseSize(item);
        if (bytes === null) throw new ValueError(`${item} is no size`);
        return bytes;
      });
    },
  },
});

/** Values of --min, --max, --step and --sizes in bytes, and of --factor: the ratio of consecutive message sizes. */
export type SizeOptions = OptionValues<typeof sizeOptionRows>;
