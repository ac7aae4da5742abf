import type { texts } from './texts/index.ts';

type RefusalTexts = typeof texts;
export type RefusalCode = keyof RefusalTexts;
/** Type of the values that the message of a refusal with this code needs: a list with one object, or an empty list. */
export type RefusalValues<C extends RefusalCode> = Parameters<RefusalTexts[C]['words']>;

/**
 * Error for a command that collbench refuses to carry out: a stable code and the values for its message. `words.ts` makes the
 * text for the user from both, `bin/report-error.ts` the exit code. The `message` of the error itself is only the code with the
 * values as JSON.
 */
export class Refusal<C extends RefusalCode = RefusalCode> extends Error {
  readonly code: C;
  readonly values: RefusalValues<C>;
  /** File and position at which the refused option was written, "nightly.yaml:3:1: entry"; "" if it was on the command line. */
  readonly place: string;

  constructor(code: C, values: RefusalValues<C>, place = '') {
    super(`${code} ${values.map((value) => JSON.stringify(value)).join(' ')}`.trimEnd());
    this.name = 'Refusal';
    this.code = code;
    this.values = values;
    this.place = place;
  }

  /**
   * Returns a new refusal with the same code and values, and with the position in a file at which the refused option was written;
   * it replaces an earlier position.
   */
  at(place: string): Refusal<C> {
    return new Refusal(this.code, this.values, place);
  }
}

/**
 * Creates a refusal, which the caller throws: `throw refuse('gpu-named-twice', { gpus, gpu })`. Each code has its own values, as
 * the texts in `texts/` define.
 */
export const refuse = <C extends RefusalCode>(code: C, ...values: RefusalValues<C>): Refusal<C> =>
  new Refusal(code, values);
