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
} from './wording.ts';

const table: { readonly [C in RefusalCode]: RefusalText<RefusalValues<C>> } = texts;

/** Returns message, details and next command of a refusal. */
export function refusalWording<C extends RefusalCode>({ code, values, place }: Refusal<C>): RefusalWording {
  const words = table[code].words(...values);
  return place === '' ? words : { ...words, message: `${place}: ${words.message}` };
}

export const exitOf = <C extends RefusalCode>({ code }: Refusal<C>): RefusalExit => table[code].exit;

/**
 * Returns the next command as text, for callers that do not know the typed command: "the same command with --ranks 2, without
 * --gpus".
 */
function describeStep(step: OptionChange | OtherCommand): string {
  if ('words' in step) return ['collbench', ...step.words].join(' ');
  const parts = Object.entries(step.change).map(([name, value]) =>
    value === null ? `without --${name}` : `with --${name}${value === '' ? '' : ` ${value}`}`,
  );
  return `the same command ${parts.join(', ')}`;
}

/** Returns the next command as printed after "Next:". @param retype makes a command from the typed one */
export function nextText(next: NextStep, retype: (step: OptionChange | OtherCommand) => string): string {
  if (typeof next === 'string') return next;
  return 'shell' in next ? next.shell : retype(next);
}

/**
 * Returns the printed lines of a refusal: the message, indented details, the next command.
 * @param retype makes a command from the typed one
 */
export function linesOf({ message, details = [], next }: RefusalWording, retype = describeStep): string[] {
  const indented = details.map((line) => `  ${line}`);
  const steps = next === undefined ? [] : [`Next: ${nextText(next, retype)}`];
  // Values come from files and hosts, so line breaks in them are removed.
  return [message, ...indented, ...steps].map(sanitiseLine);
}

export const textOf = (refusal: Refusal, retype = describeStep): string =>
  linesOf(refusalWording(refusal), retype).join('\n');
