/** What yargs read. It knows names, no types: these do. */
export type Found = Readonly<Record<string, unknown>>;

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
