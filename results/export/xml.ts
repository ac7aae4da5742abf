/** Characters that XML 1.0 cannot hold, escaped or not (section 2.2), lone surrogates among them. */
const forbidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text of anybody, fit for an attribute or an element; what XML cannot hold becomes U+FFFD. */
export function xmlText(text: string): string {
  return text
    .replaceAll(forbidden, '\ufffd')
    .replaceAll(/[&<>"]/g, (character) => named[character] as string)
    .replaceAll(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Attributes in order, those without a value left out: ` name="a" time="0.5"`. */
export function attributes(values: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === null ? '' : ` ${name}="${xmlText(String(value))}"`))
    .join('');
}
