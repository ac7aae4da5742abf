/**
 * Returns the row of a table for a name that the user or a file gave; undefined if there is none, also for "constructor" and
 * "__proto__".
 */
export const lookUp = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
