/** A row of a table by a name that came from outside: "constructor" and "__proto__" are no rows. */
export const lookUp = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
