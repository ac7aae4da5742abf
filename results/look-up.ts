/** Looks up a table row by a name from outside; undefined if there is none, also for "constructor" and "__proto__". */
export const lookUp = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
