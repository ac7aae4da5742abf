import { sanitiseLine } from '../text.ts';
import type { Refusal, RefusalCode, RefusalValues } from './refusal.ts';
import { texts } from './texts/index.ts';
import type {
  NextStep,
  OptionChange,
  OtherCommand,
  RefusalExit,
  RefusalText,
  RefusalWording,
  WordChange,
} from './wording.ts';

const table: { readonly [C in RefusalCode]: RefusalText<RefusalValues<C>> } = texts;

/**
 * Returns the message of a refusal in its parts: first line, details, next command. If the refused option was in a file, the
 * first line begins with its position.
 */
export function refusalWording<C extends RefusalCode>({ code, values, place }: Refusal<C>): RefusalWording {
  const words = table[code].words(...values);
  return place === '' ? words : { ...words, message: `${place}: ${words.message}` };
}

export const exitOf = <C extends RefusalCode>({ code }: Refusal<C>): RefusalExit => table[code].exit;

type RetypedStep = OptionChange | OtherCommand | WordChange;

/**
 * Function that returns a suggested command as text, by changing the command that the user typed; null if the words to replace do
 * not occur in it.
 */
export type Retype = (step: RetypedStep) => string | null;

/**
 * Returns a description of the suggested command, for callers that do not know the typed command: "the same command with --ranks
 * 2, without --gpus", or another command in full. It is text to print, not a command to run.
 */
function describeStep(step: RetypedStep): string {
  if ('words' in step) return ['collbench', ...step.words].join(' ');
  const parts =
    'rename' in step
      ? Object.entries(step.rename).map(([from, to]) => `with ${to} for ${from}`)
      : Object.entries(step.change).map(([name, value]) =>
          value === null ? `without --${name}` : `with --${name}${value === '' ? '' : ` ${value}`}`,
        );
  return `the same command ${parts.join(', ')}`;
}

/** Returns a suggested command as the text to print after "Next: ", which is not included; null if `retype` cannot make it. */
export function nextText(next: NextStep, retype: Retype): string | null {
  if (typeof next === 'string') return next;
  return 'shell' in next ? next.shell : retype(next);
}

/**
 * Returns the printed lines of a refusal, each without line break at its end: the message, details indented by two blanks, and
 * "Next: " with the next command if there is one. Line breaks within values become blanks.
 * @param retype returns a suggested command as text, from the typed one; by default the change is described in words
 */
export function linesOf(
  { message, details = [], next }: RefusalWording,
  retype: Retype = describeStep,
): string[] {
  const indented = details.map((line) => `  ${line}`);
  const step = next === undefined ? null : nextText(next, retype);
  const steps = step === null ? [] : [`Next: ${step}`];
  // Values come from files and hosts, so line breaks in them are removed.
  return [message, ...indented, ...steps].map(sanitiseLine);
}

export const textOf = (refusal: Refusal, retype: Retype = describeStep): string =>
  linesOf(refusalWording(refusal), retype).join('\n');
