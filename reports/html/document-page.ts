import type { DocumentBlock } from '../document/blocks.ts';
import { pageMarkup } from '../document/page.ts';
import { html } from './markup.ts';
import { document } from './page.ts';
import { drawer } from './sections.ts';

/**
 * Returns a document as the text of an HTML page that contains its charts and loads no other file. Rejects if a chart cannot be
 * drawn.
 */
export async function documentPage(title: string, blocks: readonly DocumentBlock[]): Promise<string> {
  const { draw, fill } = drawer(undefined, false);
  const { body } = await fill(html`<main>\n<h1>${title}</h1>\n${pageMarkup(blocks, { draw })}</main>`);
  return document(title, body);
}
