import type { texts } from './texts/index.ts';

type RefusalTexts = typeof texts;
export type RefusalCode = keyof RefusalTexts;
/** Values that the text of a code needs: one object, or nothing. */
export type RefusalValues<C extends RefusalCode> = Parameters<RefusalTexts[C]['words']>;

/** A command that is not carried out: a code and values. `words.ts` makes its text, `bin/exit.ts` its exit code. */
export class Refusal<C extends RefusalCode = RefusalCode> extends Error {
  readonly code: C;
  readonly values: RefusalValues<C>;
  /** Position of the refused words in a file, "nightly.yaml:3:1: entry"; empty for the command line. */
  readonly place: string;

  constructor(code: C, values: RefusalValues<C>, place = '') {
    super(`${code} ${values.map((value) => JSON.stringify(value)).join(' ')}`.trimEnd());
    this.name = 'Refusal';
    this.code = code;
    this.values = values;
    this.place = place;
  }

  /** The same refusal with its position in a file. */
  at(place: string): Refusal<C> {
    return new Refusal(this.code, this.values, place);
  }
}

/** Creates a refusal: `throw refuse('gpu-named-twice', { gpus, gpu })`. The table of texts defines the values of each code. */
export const refuse = <C extends RefusalCode>(code: C, ...values: RefusalValues<C>): Refusal<C> =>
  new Refusal(code, values);
