/**
 * Script that unpacks the data of all figures, which figure-data.ts packed. Each part of the page's script is plain ECMAScript
 * and defines functions that later parts use.
 */
export const unpack = `
const columns = [];
const configs = [];
const expanded = (column) =>
  column.runs?.flatMap((word, i) => (i % 2 ? [] : Array(column.runs[i + 1]).fill(column.words[word]))) ?? column;
function unpackRows(packed) {
  const fields = Object.entries(packed.columns).map(([field, number]) => [field, columns[number]]);
  return Array.from({ length: packed.rows }, (_, i) =>
    Object.fromEntries(fields.map(([field, values]) => [field, values[i]])));
}
/** Returns a specification with unpacked rows. The packed one is not changed, because it is unpacked again at each use. */
const unpackSpec = (spec) =>
  JSON.parse(JSON.stringify(spec), (key, one) => (key === 'values' && one?.columns ? unpackRows(one) : one));
/** Unpacks the figures of a page. `texts` must be in page order, because later figures use columns of earlier ones. */
function unpackFigures(texts) {
  return texts.map((text) => {
    const { fresh, points, rows, spec, config: given, ...about } = JSON.parse(text);
    columns.push(...fresh.map(expanded));
    const config = configs[given] ?? given;
    if (config === given) configs.push(config);
    return {
      ...about,
      points: unpackRows(points),
      rows: () => unpackRows(rows),
      spec: () => ({ ...unpackSpec(spec), config }),
    };
  });
}
`;
