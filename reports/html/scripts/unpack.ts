/**
 * The data of all figures, as figure-data.ts has packed them. Plain ECMAScript, as are all parts of the page's script:
 * each defines functions that later ones use.
 */
export const unpack = `
const columns = [];
const configs = [];
function expanded(column) {
  if (Array.isArray(column)) return column;
  const { words, runs } = column;
  return runs.flatMap((word, i) => (i % 2 ? [] : Array(runs[i + 1]).fill(words[word])));
}
function unpackRows(packed) {
  const fields = Object.entries(packed.columns).map(([field, number]) => [field, columns[number]]);
  return Array.from({ length: packed.rows }, (_, i) =>
    Object.fromEntries(fields.map(([field, values]) => [field, values[i]])));
}
function unpackSpec(value) {
  if (Array.isArray(value)) return value.map(unpackSpec);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [
    key,
    key === 'values' && one !== null && one.columns != null && typeof one.rows === 'number'
      ? unpackRows(one)
      : unpackSpec(one),
  ]));
}
/** Texts of the page in its order: later figures use columns of earlier ones. */
function unpackFigures(texts) {
  return texts.map((text) => {
    const data = JSON.parse(text);
    for (const column of data.fresh) columns.push(expanded(column));
    if (typeof data.config !== 'number') configs.push(data.config);
    const config = typeof data.config === 'number' ? configs[data.config] : data.config;
    return {
      number: data.number,
      name: data.name,
      title: data.title,
      host: data.host,
      series: data.series,
      points: unpackRows(data.points),
      rows: () => unpackRows(data.rows),
      spec: () => ({ ...unpackSpec(data.spec), config }),
    };
  });
}
`;
