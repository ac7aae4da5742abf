import { isFields, type RecordFields } from '../collections.ts';
import { closeJson } from './close-json.ts';
import { ImportError } from './imported-output.ts';
import { type LogProgram, logPrograms } from './log-programs.ts';
import { chakraTrace } from './traces/chakra-wire.ts';

/**
 * The content of an output file of another program, parsed as far as is useful for all formats. `text`: the JSON text, or the lines
 * of the log without the tags that launchers put before them; '' for a binary trace.
 */
export interface ImportSource {
  text: string;
  /**
   * JSON values in order: the elements of an array, one value for each line of JSON Lines, or a single object. Empty if the text is
   * no JSON.
   */
  records: unknown[];
  /** False if the end of the JSON is missing. The values that are complete are in `records`. */
  isWhole: boolean;
  /** Number of lines that are not JSON in a text with one JSON object per line; 0 for other content. */
  strayLines: number;
  /** The outputs of the programs in a log. Absent if the content is JSON or binary. */
  programs?: readonly LogProgram[];
}

/**
 * Repairs JSON that programs print without a JSON library: bare infinities, and keys of perftest without quotes (one key; in 2023
 * all keys).
 */
function mended(text: string): string {
  const plain = text.replace(/:\s*-?(?:inf|nan)\b/gi, ':null').replace(/^([ \t]*)sl:/m, '$1"sl":');
  return /^\s*\{\s*test_info\s*:/.test(plain.slice(0, 1000)) ? quoted(plain) : plain;
}

/** Puts quotes around the key of a line "key: value,", and around a value that is neither a number nor quoted. */
const quoted = (text: string): string =>
  text.replace(
    /^([ \t]*)([A-Za-z][\w.]{0,60}): ?([^\n\r{]{0,200}?)(,?)[ \t]*(?=\r?$)|^([ \t]*)(\w{1,60}): ?\{/gm,
    (_, indent, key, value: string, comma, outer, section) =>
      section === undefined
        ? `${indent}"${key}": ${/^(?:"[^"]*"|-?\d+(?:\.\d+)?)$/.test(value) ? value : JSON.stringify(value)}${comma}`
        : `${outer}"${section}": {`,
  );

/**
 * Parses the content of a file as JSON or as a log. Bytes that are a Chakra trace (protobuf) become a single record.
 * @throws ImportError if a log has too many lines or a line that is too long
 */
export function sourceOf(content: string | Uint8Array): ImportSource {
  if (typeof content === 'string') return textSource(content);
  const trace = chakraTrace(content);
  if (trace === null) return textSource(Buffer.from(content).toString('utf8'));
  const { version, nodes, isWhole } = trace;
  return { text: '', records: [{ chakraVersion: version, nodes }], isWhole, strayLines: 0 };
}

/** Matches the start of JSON text. "[1,0]" and "[0]" are not JSON but tags of launchers. */
const jsonBegins = /^\s*(?:\{|\[\s*(?:\{|\]|$))/;

function textSource(content: string): ImportSource {
  // A byte order mark is no part of the text.
  const plain = content.replace(/^\uFEFF/, '');
  if (jsonBegins.test(plain.slice(0, 1000))) return jsonSource(plain);
  refuseNoLines(plain);
  const programs = logPrograms(plain);
  const text = programs.map((program) => program.text).join('');
  if (jsonBegins.test(text.slice(0, 1000))) return jsonSource(text);
  return { text, records: [], isWhole: true, strayLines: 0, programs };
}

function jsonSource(text: string): ImportSource {
  const none = { text, records: [], isWhole: true, strayLines: 0 };
  const json = mended(text);
  try {
    return { ...none, records: listOf(JSON.parse(json)) };
  } catch {
    return linesOf(text, json) ?? cut(text, json) ?? none;
  }
}

const maxLines = 1_000_000;
const longestLine = 16_384;

/**
 * Checks the number of lines of a log, and their lengths in characters.
 * @throws ImportError if there are more than `maxLines` lines, or one is longer than `longestLine`
 */
function refuseNoLines(text: string): void {
  let lines = 0;
  for (let from = 0; from < text.length; lines += 1) {
    const end = text.indexOf('\n', from);
    const length = (end === -1 ? text.length : end) - from;
    if (length > longestLine || lines >= maxLines) {
      const what =
        length > longestLine ? `line ${lines + 1} has ${length} characters` : `more than ${maxLines} lines`;
      throw new ImportError(`${what}: no program that can be imported prints that`, [
        `  allowed: ${maxLines} lines of up to ${longestLine} characters`,
      ]);
    }
    from += length + 1;
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/**
 * Reads text with one JSON object per line. Lines that are no JSON are counted. If the last line is no JSON, the text was cut off.
 * Null if the text has another form, such as one object over many lines.
 * @param text the original text
 * @param json the text after repairs, which is parsed
 */
function linesOf(text: string, json: string): ImportSource | null {
  const records: unknown[] = [];
  let strayLines = 0;
  let isWhole = true;
  for (const line of json.split('\n')) {
    if (line.trim() === '') continue;
    try {
      // Launchers add "[1,0]<stdout>:" before a record; older programs write a comma after it.
      records.push(JSON.parse(line.trim().replace(/,$/, '')));
      isWhole = true;
    } catch {
      // Many lines without JSON at the start come from pretty-printed JSON, whatever its length.
      if (records.length === 0 && strayLines > 50) return null;
      strayLines += 1;
      isWhole = false;
    }
  }
  const objects = records.filter(isFields);
  // In a pretty-printed object some lines are JSON by chance ("2,"), so the text is not one object per line.
  return objects.length > 0 && objects.length === records.length && objects.length > strayLines
    ? { text, records, isWhole, strayLines }
    : null;
}

function cut(text: string, json: string): ImportSource | null {
  try {
    // A comma before the closing brace (perftest --output) does not mean that the text was cut off.
    return {
      text,
      records: listOf(JSON.parse(json.replace(/,(\s{0,9}\})/g, '$1'))),
      isWhole: true,
      strayLines: 0,
    };
  } catch {
    // The text cannot be parsed as it is, so its open brackets are closed below and it is parsed again.
  }
  try {
    return { text, records: listOf(JSON.parse(closeJson(json))), isWhole: false, strayLines: 0 };
  } catch {
    return null;
  }
}

/** Returns a number as text, or a string without surrounding blanks; undefined for all other values, such as objects. */
export const wordOf = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'string' ? String(value).trim() : undefined;

/**
 * Returns the fields of an imported JSON object that are numbers or strings, as text for the table of printed columns. Values
 * longer than `longest` characters, and fields after the 60th, are left out. Names are cut to 80 characters.
 */
export function printedOf(fields: RecordFields, longest = 200): Record<string, string> {
  const kept = Object.entries(fields).flatMap(([key, value]): [string, string][] => {
    const word = wordOf(value);
    return word === undefined || word.length > longest ? [] : [[key.slice(0, 80), word]];
  });
  return Object.fromEntries(kept.slice(0, 60));
}
