import { nearestWord } from '../../results/nearest.ts';
import { refuse } from '../../results/refusals/refusal.ts';

/** Keys of a Vega-Lite config (6.4), including those that it passes to Vega. */
const keys =
  `arc area aria autosize axis axisBand axisBottom axisDiscrete axisLeft axisPoint axisQuantitative axisRight
  axisTemporal axisTop axisX axisXBand axisXDiscrete axisXPoint axisXQuantitative axisXTemporal axisY axisYBand
  axisYDiscrete axisYPoint axisYQuantitative axisYTemporal background bar boxplot circle concat countTitle
  customFormatTypes errorband errorbar events facet fieldTitle font geoshape group header headerColumn headerFacet
  headerRow image legend line lineBreak locale mark normalizedNumberFormat normalizedNumberFormatType numberFormat
  numberFormatType padding params path point projection range rect rule scale selection shape signals square style
  symbol text tick timeFormat timeFormatType title tooltipFormat trail view`.split(/\s+/);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses a Vega config: the file has either the config alone, or a specification with a `config`.
 * @throws Refusal with the problem and its position
 */
export function parseConfig(text: string, file: string): Record<string, unknown> {
  const raw = parsed(text, file);
  if (!isObject(raw)) throw refuse('theme-file-not-json', { file, why: 'not an object in braces' });
  const config = isObject(raw.config) ? raw.config : raw;
  for (const key of Object.keys(config)) {
    if (key === '$schema' || keys.includes(key)) continue;
    throw refuse('theme-file-key', { file, key, meant: nearestWord(key, keys) });
  }
  const { $schema: _schema, ...rest } = config;
  return rest;
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refuse('theme-file-not-json', { file, why: `${why}${lineOf(why, text)}` });
  }
}

/** Returns the line and column of a JSON error, if V8's message has a position. */
function lineOf(why: string, text: string): string {
  const [, at] = /at position (\d+)/.exec(why) ?? [];
  if (at === undefined || why.includes('line')) return '';
  const before = text.slice(0, Number(at)).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}
