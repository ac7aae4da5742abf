// What a line said, as types: its reader knows names alone.
import type { Found } from '../line/read.ts';

export function text(found: Found, name: string): string | undefined {
  const value = found[name];
  return typeof value === 'string' ? value : undefined;
}

/** Of an option with a default, or of a word that must be there. */
export const textOf = (found: Found, name: string): string => text(found, name) ?? '';

/** Words behind the command. */
export function texts(found: Found, name: string): string[] {
  const value = found[name];
  return Array.isArray(value) ? value.map(String) : [];
}

export const isOn = (found: Found, name: string): boolean => found[name] === true;
