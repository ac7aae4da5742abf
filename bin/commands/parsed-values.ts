// Typed access to the values of a parsed line, which are of unknown type.
import type { ParsedValues } from '../line/read.ts';

export function text(found: ParsedValues, name: string): string | undefined {
  const value = found[name];
  return typeof value === 'string' ? value : undefined;
}

/** Value of an option with a default, or of a required argument, as text. */
export const textOf = (found: ParsedValues, name: string): string => text(found, name) ?? '';

/** All words of an argument that may have several. */
export function texts(found: ParsedValues, name: string): string[] {
  const value = found[name];
  return Array.isArray(value) ? value.map(String) : [];
}

export const isFlagSet = (found: ParsedValues, name: string): boolean => found[name] === true;
