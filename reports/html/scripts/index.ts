import { card } from './card.ts';
import { filter } from './filter.ts';
import { links } from './links.ts';
import { points } from './points.ts';
import { save } from './save.ts';
import { unpack } from './unpack.ts';

const start = `
for (const figure of figures) {
  offerToSave(figure);
  for (const svg of drawingsOf(figure)) watch(figure, svg);
}
readAddress();
const showFilter = filterBar();
showFilter();
applyFilter();
if (place !== '') goToPlace();
`;

const load = `
const isNumber = (one) => typeof one === 'number';
const all = (within, what) => [...within.querySelectorAll(what)];
const keep = (element, isKept) => !element.classList.toggle('off', !isKept);
const dress = (element, attributes = {}) => {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const drawingsOf = ({ element }) => all(element, '.wide > svg, .narrow > svg');
const scripts = all(document, 'script[type="application/json"][id^="data-"]');
const figures = unpackFigures(scripts.map((script) => script.textContent)).map((figure, i) => ({
  ...figure,
  element: scripts[i].closest('figure'),
}));
`;

/** Texts and the one regular expression, or a sign with the room around it. */
const tokens = /('(?:[^'\\\n]|\\.)*'|\/\[.*?\]\/)|\s*([{}()[\];,=+\-*<>?:&|!%]|\/(?= )|\.(?=[a-z]))\s*/g;

/**
 * The page's only script. Everything is in the page without it: it names points, filters, saves and opens what a link means.
 * Only properties and SVG attributes are set, never style attributes, because the policy forbids those.
 */
export const script = `
'use strict';
(() => {
${[unpack, load, card, points, save, filter, links, start].map(lean).join('')}})();
`;

/** Without comments, and without room and signs where none are needed: a page is read by browsers. */
function lean(part: string): string {
  return part
    .replaceAll(/^\s*(?:\/\/|\/\*\*).*\n/gm, '')
    .replaceAll(tokens, (_all, kept: string | undefined, sign: string | undefined) => kept ?? sign ?? '')
    .replaceAll(/[;,](?=[)}\]])/g, '')
    .replaceAll(/\bconst\b/g, 'let')
    .replaceAll(/\((\w+)\)(?==>)/g, '$1')
    .trim()
    .concat('\n');
}
