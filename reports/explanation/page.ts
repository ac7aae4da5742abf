import { pageMarkup } from '../document/page.ts';
import { html } from '../html/markup.ts';
import { document } from '../html/page.ts';
import { drawer } from '../html/sections.ts';
import type { ShownExplanation } from '../series.ts';
import { explanationDocument, explanationTitle } from './document.ts';

/** Returns the page of an explanation as HTML text, with a chart of each size's parts. It loads no other file. */
export async function explanationPage(shown: ShownExplanation): Promise<string> {
  const title = explanationTitle(shown.record);
  const { draw, fill } = drawer(undefined, false);
  const markup = pageMarkup(explanationDocument(shown), { draw });
  const { body } = await fill(html`<main>\n<h1>${title}</h1>\n${markup}</main>`);
  return document(title, body);
}
