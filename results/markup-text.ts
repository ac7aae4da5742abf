// Escapes any text for use in HTML, XML and Markdown.

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const special = /[&<>"']/;

const reference = (sign: string): string => `&#${sign.codePointAt(0)};`;

/** Escapes text for an element or a quoted attribute of HTML. */
export function escapeMarkup(text: string): string {
  // Most texts need no escaping, and a page has thousands of texts.
  if (!special.test(text)) return text;
  return text.replaceAll(/[&<>"']/g, (sign) => named[sign] as string);
}

/** Matches characters that XML 1.0 cannot contain, escaped or not (section 2.2), including lone surrogates. */
const noXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Escapes text for an element or an attribute of XML. Characters that XML cannot contain become U+FFFD. */
export const escapeXml = (text: string): string =>
  // Line feeds and tabs are escaped, because XML readers turn them into blanks in attributes.
  escapeMarkup(text.replaceAll(noXml, '\ufffd')).replaceAll(/[\t\n\r]/g, reference);

/**
 * Escapes text so that Markdown shows it unchanged on one line: without markup, link, list, table cell, HTML or mention of a user.
 * Numeric references work in every renderer, also after a backslash.
 */
export const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[^\p{L}\p{N} .,:;+%()/=?'"·…±→×–-]/gu, reference)
    // At the start of a line these characters could begin a list item, or underline the line above.
    .replace(/^( *\d*)([-+=.)])(?=[-= ]|$)/, (_, head: string, sign: string) => head + reference(sign))
    // An unescaped address would become a link.
    .replaceAll('://', '&#58;//')
    .replaceAll(/www\./gi, (word) => `${word.slice(0, 3)}&#46;`);

/**
 * Escapes Markdown of collbench's own documentation for use in a table cell: a bar would end the cell, and "<" could begin HTML.
 */
export const escapeTableCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
