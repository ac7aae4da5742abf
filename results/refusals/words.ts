import type { Refusal, RefusalCode, RefusalValues } from './refusal.ts';
import { texts } from './texts/index.ts';
import type { RefusalExit, RefusalText, Wording } from './wording.ts';

const table: { readonly [C in RefusalCode]: RefusalText<RefusalValues<C>> } = texts;

/** Message, details and next step of a refusal. */
export function wordsOf<C extends RefusalCode>({ code, values, place }: Refusal<C>): Wording {
  const words = table[code].words(...values);
  return place === '' ? words : { ...words, message: `${place}: ${words.message}` };
}

export const exitOf = <C extends RefusalCode>({ code }: Refusal<C>): RefusalExit => table[code].exit;

/** As it is printed: the message, details indented below it, the next step last. */
export function linesOf({ message, details = [], next }: Wording): string[] {
  const indented = details.map((line) => `  ${line}`);
  return [message, ...indented, ...(next === undefined ? [] : [`Next: ${next}`])];
}

export const textOf = (refusal: Refusal): string => linesOf(wordsOf(refusal)).join('\n');
