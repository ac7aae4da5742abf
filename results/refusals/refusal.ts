import type { texts } from './texts/index.ts';

type RefusalTexts = typeof texts;
export type RefusalCode = keyof RefusalTexts;
/** What the words of a code are made of: one object, or nothing where the code says all. */
export type RefusalValues<C extends RefusalCode> = Parameters<RefusalTexts[C]['words']>;

/** A command that is not carried out: a code and values. `words.ts` turns it into text, `bin/exit.ts` into an exit code. */
export class Refusal<C extends RefusalCode = RefusalCode> extends Error {
  readonly code: C;
  readonly values: RefusalValues<C>;
  /** Where in a file the refused words stand, "nightly.yaml:3:1: entry"; empty for the command line. */
  readonly place: string;

  constructor(code: C, values: RefusalValues<C>, place = '') {
    super(`${code} ${values.map((value) => JSON.stringify(value)).join(' ')}`.trimEnd());
    this.name = 'Refusal';
    this.code = code;
    this.values = values;
    this.place = place;
  }

  /** The same, found in a file. */
  at(place: string): Refusal<C> {
    return new Refusal(this.code, this.values, place);
  }
}

/** `throw refuse('gpu-named-twice', { gpus, gpu })`: the table of texts says which values a code takes. */
export const refuse = <C extends RefusalCode>(code: C, ...values: RefusalValues<C>): Refusal<C> =>
  new Refusal(code, values);
