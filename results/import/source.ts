import { closeJson } from './close-json.ts';

/** The content of a file, read as far as every format needs it. */
export interface Source {
  text: string;
  /** JSON values in their order: the elements of an array, the lines of JSON Lines, or the only object. Empty: no JSON. */
  records: unknown[];
  /** False where JSON was cut off; what was there before is among the records. */
  isWhole: boolean;
  /** Lines between or behind the records that are no JSON. */
  strayLines: number;
}

/** Writers made by hand: infinities come out bare, and one key of perftest has no quotes. */
const mended = (text: string): string =>
  text.replace(/:\s*-?(?:inf|nan)\b/gi, ':null').replace(/^(\s*)sl:/m, '$1"sl":');

/** Reads what kind of text it is; nothing is interpreted yet. */
export function sourceOf(content: string): Source {
  // A byte order mark is no part of the text.
  const text = content.replace(/^\uFEFF/, '');
  const none = { text, records: [], isWhole: true, strayLines: 0 };
  const start = text.trimStart().slice(0, 1);
  if (start !== '{' && start !== '[') return none;
  const json = mended(text);
  try {
    return { ...none, records: listOf(JSON.parse(json)) };
  } catch {
    return linesOf(text, json) ?? cut(text, json) ?? none;
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** One object per line; a line that is none is counted, and a last one that is none was cut off. */
function linesOf(text: string, json: string): Source | null {
  const records: unknown[] = [];
  let strayLines = 0;
  let isWhole = true;
  for (const line of json.split('\n')) {
    if (line.trim() === '') continue;
    try {
      // "[1,0]<stdout>:{...}" and a comma behind each are how launchers and older writers leave them.
      records.push(JSON.parse(line.trim().replace(/,$/, '')));
      isWhole = true;
    } catch {
      strayLines += 1;
      isWhole = false;
    }
  }
  const objects = records.filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
  // A pretty-printed object has lines that are JSON by chance ("2,"): it is not one object per line.
  return objects.length > 0 && objects.length === records.length && objects.length > strayLines
    ? { text, records, isWhole, strayLines }
    : null;
}

function cut(text: string, json: string): Source | null {
  try {
    return { text, records: listOf(JSON.parse(closeJson(json))), isWhole: false, strayLines: 0 };
  } catch {
    return null;
  }
}

export type Fields = Record<string, unknown>;
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
/** Numbers and texts as text, as a table would hold them; undefined for all else. */
export const wordOf = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'string' ? String(value).trim() : undefined;

/** The fields of an object that are numbers or texts, as printed; longer ones than `longest` are no figures. */
export function printedOf(fields: Fields, longest = 200): Record<string, string> {
  const kept = Object.entries(fields).flatMap(([key, value]): [string, string][] => {
    const word = wordOf(value);
    return word === undefined || word.length > longest ? [] : [[key.slice(0, 80), word]];
  });
  return Object.fromEntries(kept.slice(0, 60));
}
