import { parseSize, type SizeOptions } from '../sizes.ts';
import { type OptionRowsFor, ValueError } from './flag.ts';
import { positive, size, sizeAllowed, splitWords } from './values.ts';

export const sizeFlags: OptionRowsFor<SizeOptions> = {
  min: {
    name: 'min',
    short: 'b',
    alias: 'minbytes',
    group: 'Sizes',
    value: 'SIZE',
    fallback: 8,
    shown: '8',
    allowed: sizeAllowed,
    help: 'Smallest message. Whole elements of the data type; 0 is allowed.',
    example: '--min 8 --max 1G',
    parse: size,
  },
  max: {
    name: 'max',
    short: 'e',
    alias: 'maxbytes',
    group: 'Sizes',
    value: 'SIZE',
    fallback: 64 * 2 ** 20,
    shown: '64M',
    allowed: sizeAllowed,
    help: 'Largest message.',
    example: '--min 1K --max 256M',
    parse: size,
  },
  factor: {
    name: 'factor',
    short: 'f',
    alias: 'stepfactor',
    group: 'Sizes',
    value: 'N',
    fallback: 2,
    shown: '2',
    allowed: 'a number above 1',
    help: 'Factor between sizes.',
    example: '--factor 4',
    parse: (value) => {
      const factor = positive(value);
      if (factor <= 1) throw new ValueError('sizes would not grow');
      return factor;
    },
  },
  step: {
    name: 'step',
    short: 'i',
    alias: 'stepbytes',
    group: 'Sizes',
    value: 'SIZE',
    fallback: null,
    shown: 'none',
    allowed: `${sizeAllowed}; above 0`,
    help: 'Step between sizes; instead of --factor.',
    example: '--min 1M --max 8M --step 1M',
    parse: (value) => {
      const step = size(value);
      if (step === 0) throw new ValueError('sizes would not grow');
      return step;
    },
  },
  sizes: {
    name: 'sizes',
    group: 'Sizes',
    value: 'LIST',
    fallback: null,
    shown: 'none',
    allowed: `a comma list of sizes (${sizeAllowed})`,
    help: 'Exactly these sizes; instead of --min, --max, --factor and --step.',
    example: '--sizes 8,1K,1000000',
    parse: (value) => {
      const items = splitWords(value);
      if (items.length === 0) throw new ValueError('empty');
      return items.map((item) => {
        const bytes = parseSize(item);
        if (bytes === null) throw new ValueError(`${item} is no size`);
        return bytes;
      });
    },
  },
};
