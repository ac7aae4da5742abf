/**
 * Unpacks the data of all figures (packed by figure-data.ts). All parts of the page's script are plain ECMAScript; each part
 * defines functions that later parts use.
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
/** Returns an unpacked copy of a chart specification. The packed one stays unchanged, because each call unpacks it again. */
const unpackSpec = (spec) =>
  JSON.parse(JSON.stringify(spec), (key, one) => (key === 'values' && one?.columns ? unpackRows(one) : one));
/** Unpacks the data texts of the page, in page order, because later figures use columns of earlier ones. */
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
