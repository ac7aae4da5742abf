import { html, type SafeHtml, trustHtml } from '../html/markup.ts';
import { htmlDocument, sha256 } from '../html/page.ts';
import { style } from './style.ts';

/**
 * Returns an HTML page of the site as text. The page has no scripts and loads no other file: its style sheet is inside, and the
 * Content-Security-Policy allows nothing else.
 * @param up path from the page to the site's folder: "../" for pages in series/
 */
export function sitePage(title: string, body: SafeHtml, up = ''): string {
  const policy = `default-src 'none'; style-src ${sha256(style)}; base-uri 'none'; form-action 'none'`;
  const head = html`<link rel="alternate" type="application/feed+json" title="Changes (JSON Feed)" href="${up}feed.json">
<link rel="alternate" type="application/atom+xml" title="Changes (Atom)" href="${up}atom.xml">
<style>${trustHtml(style)}</style>`;
  return htmlDocument(
    title,
    policy,
    head,
    html`<main>
${body}
</main>`,
  );
}
