import type { BisectionRecord } from '../../results/schema/index.ts';
import { pageMarkup } from '../document/page.ts';
import { html } from '../html/markup.ts';
import { document } from '../html/page.ts';
import { drawer } from '../html/sections.ts';
import { bisectionDocument, bisectionTitle } from './document.ts';

/** Returns the page of a bisection as HTML text, with a chart of the posterior of each change. It loads no other file. */
export async function bisectionPage(record: BisectionRecord): Promise<string> {
  const title = bisectionTitle(record);
  const { draw, fill } = drawer(undefined, false);
  const markup = pageMarkup(bisectionDocument(record), { draw });
  const { body } = await fill(html`<main>\n<h1>${title}</h1>\n${markup}</main>`);
  return document(title, body);
}
