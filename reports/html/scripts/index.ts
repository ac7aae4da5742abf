import { card } from './card.ts';
import { filter } from './filter.ts';
import { links } from './links.ts';
import { points } from './points.ts';
import { save } from './save.ts';
import { unpack } from './unpack.ts';

const start = `
for (const figure of figures) {
  offerToSave(figure);
  for (const svg of figure.element.querySelectorAll('.wide > svg, .narrow > svg')) watch(figure, svg);
}
readAddress();
const showFilter = filterBar();
showFilter();
applyFilter();
if (place !== '') goToPlace();
`;

const load = `
const scripts = [...document.querySelectorAll('script[type="application/json"][id^="data-"]')];
const figures = unpackFigures(scripts.map((script) => script.textContent)).map((figure, i) => ({
  ...figure,
  element: scripts[i].closest('figure'),
}));
`;

/** Texts and the one regular expression, or a sign with the room around it. */
const tokens = /('(?:[^'\\\n]|\\.)*'|\/\[.*?\]\/)|\s*([{}()[\];,=+\-*<>?:&|!])\s*/g;

/**
 * The page's only script. Everything is in the page without it: it names points, filters, saves and opens what a link means.
 * Only properties and SVG attributes are set, never style attributes, because the policy forbids those.
 */
export const script = `
'use strict';
(() => {
${[unpack, load, card, points, save, filter, links, start].map(lean).join('')}})();
`;

/** Without comments, and without room where none is needed: a page is read by browsers. */
function lean(part: string): string {
  return part
    .replaceAll(/^\s*(?:\/\/|\/\*\*).*\n/gm, '')
    .replaceAll(tokens, (_all, kept: string | undefined, sign: string | undefined) => kept ?? sign ?? '')
    .trim()
    .concat('\n');
}
