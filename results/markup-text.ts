// Texts of anybody, made harmless for what reads markup: one way for HTML and XML, one for Markdown.

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const special = /[&<>"']/;

const reference = (sign: string): string => `&#${sign.codePointAt(0)};`;

/** Text for an element or a quoted attribute of HTML. */
export function escapeMarkup(text: string): string {
  // Most texts need nothing, and a page has thousands of them.
  if (!special.test(text)) return text;
  return text.replaceAll(/[&<>"']/g, (sign) => named[sign] as string);
}

/** Characters that XML 1.0 cannot hold, escaped or not (section 2.2), lone surrogates among them. */
const noXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Text for an element or an attribute of XML; what XML cannot hold becomes U+FFFD. */
export const escapeXml = (text: string): string =>
  // A reader of XML turns line feeds and tabs of an attribute into spaces.
  escapeMarkup(text.replaceAll(noXml, '\ufffd')).replaceAll(/[\t\n\r]/g, reference);

/**
 * One line of text that Markdown shows as it is: no markup, link, list, table cell or HTML, and nobody called by name.
 * Numeric references mean the same to every renderer, also behind a backslash.
 */
export const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[^\p{L}\p{N} .,:;+%()/=?'"·…±→×-]/gu, reference)
    // At its start a line may be an item of a list, or underline the line before it.
    .replace(/^( *\d*)([-+=.)])(?=[-= ]|$)/, (_, head: string, sign: string) => head + reference(sign))
    // A bare address would become a link.
    .replaceAll('://', '&#58;//')
    .replaceAll(/www\./gi, (word) => `${word.slice(0, 3)}&#46;`);
