import { isFields } from '../../results/collections.ts';
import { nearestWord } from '../../results/nearest.ts';
import { refuse } from '../../results/refusals/refusal.ts';

/** Allowed top-level keys of a theme file: those of a Vega-Lite config (6.4), including keys that Vega-Lite passes on to Vega. */
const keys =
  `arc area aria autosize axis axisBand axisBottom axisDiscrete axisLeft axisPoint axisQuantitative axisRight
  axisTemporal axisTop axisX axisXBand axisXDiscrete axisXPoint axisXQuantitative axisXTemporal axisY axisYBand
  axisYDiscrete axisYPoint axisYQuantitative axisYTemporal background bar boxplot circle concat countTitle
  customFormatTypes errorband errorbar events facet fieldTitle font geoshape group header headerColumn headerFacet
  headerRow image legend line lineBreak locale mark normalizedNumberFormat normalizedNumberFormatType numberFormat
  numberFormatType padding params path point projection range rect rule scale selection shape signals square style
  symbol text tick timeFormat timeFormatType title tooltipFormat trail view`.split(/\s+/);

/**
 * Parses the text of a theme file: a Vega-Lite config, or a Vega-Lite specification that contains a `config`. Returns the config
 * without `$schema`.
 * @param file path of the file, for messages
 * @throws Refusal if the text is no JSON object (with line and column), or if a key is unknown
 */
export function parseConfig(text: string, file: string): Record<string, unknown> {
  const raw = parsed(text, file);
  if (!isFields(raw)) throw refuse('theme-file-not-json', { file, why: 'not an object in braces' });
  const config = isFields(raw.config) ? raw.config : raw;
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

/**
 * Returns " (line L, column C)" for an error of JSON.parse(), computed from the character position in the error's message; "" if
 * the message has no position or already names the line.
 * @param why message of the error
 * @param text the parsed text
 */
function lineOf(why: string, text: string): string {
  const [, at] = /at position (\d+)/.exec(why) ?? [];
  if (at === undefined || why.includes('line')) return '';
  const before = text.slice(0, Number(at)).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}
