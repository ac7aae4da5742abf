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
