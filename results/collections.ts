/**
 * Appends a value to the list under a key; creates the list if needed. Lists grow in place, because copying them for each value
 * would take quadratic time.
 */
export const addTo = <K, V>(lists: Map<K, V[]>, key: K, value: V): void => addAll(lists, key, [value]);

export function addAll<K, V>(lists: Map<K, V[]>, key: K, values: readonly V[]): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [...values]);
  else for (const value of values) list.push(value);
}

/** Returns the value of a key; if the map has none, makes and keeps one. */
export function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/**
 * Returns the value in a table for a name that the user or a file gave; undefined if the table has no such name, also for
 * "constructor" and "__proto__".
 */
export const lookUp = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/**
 * Returns the sum of counts, at most the largest integer that JSON holds exactly. The limit is needed, because a host may report
 * counts of any size.
 */
export const sumOfCounts = (counts: readonly number[]): number =>
  Math.min(
    Number.MAX_SAFE_INTEGER,
    counts.reduce((sum, count) => sum + count, 0),
  );

/** An object with unknown fields, for example from JSON that another program wrote. */
export type RecordFields = Record<string, unknown>;

/** True for objects that are not null and not arrays. */
export const isFields = (value: unknown): value is RecordFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): RecordFields => (isFields(value) ? value : {});
