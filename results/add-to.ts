/** Adds a value to the list of a key. Lists grow in place, as copying them for each value would take quadratic time. */
export const addTo = <K, V>(lists: Map<K, V[]>, key: K, value: V): void => addAll(lists, key, [value]);

export function addAll<K, V>(lists: Map<K, V[]>, key: K, values: readonly V[]): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [...values]);
  else for (const value of values) list.push(value);
}
