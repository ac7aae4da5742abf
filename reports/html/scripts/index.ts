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

/** Matches string literals and the only regular expression, which are kept, or a sign with the space around it. */
const tokens = /('(?:[^'\\\n]|\\.)*'|\/\[.*?\]\/)|\s*([{}()[\];,=+\-*<>?:&|!%]|\/(?= )|\.(?=[a-z]))\s*/g;

/**
 * The page's only script. Without it the page is complete. The script shows facts about points, filters, saves data, and opens
 * the target of a link. It sets only properties and SVG attributes, because the security policy forbids style attributes.
 */
export const script = `
'use strict';
(() => {
${[unpack, load, card, points, save, filter, links, start].map(lean).join('')}})();
`;

/** Minifies a script: removes comments, unneeded spaces and signs. */
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
