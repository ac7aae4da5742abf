// JSON that others may have written: what would move the cursor, forge a line or break an SVG is not let in.

/** Line breaks and tabs, too: nothing that collbench records has any. */
const controls = /\p{Cc}/gu;
/** No text without these has a control character: passes lines of figures in a moment. */
const maybeControl = /[\\\x7f-\x9f]/;
/** How they can stand in JSON. */
const anyControl = /\\u00[0189]|\\u007f|\\[nrtbf]|[\x7f-\x9f]/i;

/** A dot stands for each control character in names and values. @throws SyntaxError, RangeError nested too deep */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return maybeControl.test(text) && anyControl.test(text) ? withoutControls(value) : value;
}

/** The same value with a dot for each control character of its words. */
export function withoutControls<T>(value: T): T;
export function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(controls, '·');
  if (Array.isArray(value)) return value.map(withoutControls);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [withoutControls(name), withoutControls(inner)]),
  );
}
