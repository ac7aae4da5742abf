// What a line said, as types: its reader knows names alone.
import type { ParsedValues } from '../line/read.ts';

export function text(found: ParsedValues, name: string): string | undefined {
  const value = found[name];
  return typeof value === 'string' ? value : undefined;
}

/** Of an option with a default, or of a word that must be there. */
export const textOf = (found: ParsedValues, name: string): string => text(found, name) ?? '';

/** Words behind the command. */
export function texts(found: ParsedValues, name: string): string[] {
  const value = found[name];
  return Array.isArray(value) ? value.map(String) : [];
}

export const isFlagSet = (found: ParsedValues, name: string): boolean => found[name] === true;
