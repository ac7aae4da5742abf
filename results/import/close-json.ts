/** Highest number of nested brackets that the JSON of any supported program has. */
const deepest = 32;

/**
 * Repairs a JSON text that was cut off: removes everything behind the last complete value and closes open brackets.
 * @returns text that may still be invalid if it was invalid before; "" if its brackets are nested deeper than `deepest`
 */
export function closeJson(text: string): string {
  const open: string[] = [];
  let isString = false;
  let whole = { end: 0, closers: '' };
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i] as string;
    if (isString) {
      if (character === '\\') i += 1;
      else if (character === '"') isString = false;
      continue;
    }
    if (open.length > deepest) return '';
    if (character === '"') isString = true;
    else if (character === '{') open.push('}');
    else if (character === '[') open.push(']');
    else if (character === '}' || character === ']') {
      open.pop();
      whole = { end: i + 1, closers: [...open].reverse().join('') };
    } else if (character === ',') {
      whole = { end: i, closers: [...open].reverse().join('') };
    }
  }
  return text.slice(0, whole.end) + whole.closers;
}
