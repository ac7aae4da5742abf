// The page's only script; without it the page still shows everything. The script shows facts about points, filters, saves charts,
// and opens the target of a link. It sets only properties and SVG attributes, because the page's security policy forbids style
// attributes.
import { formatAddress, parseAddress } from '../page-filter.ts';
import { PointCard } from './card.ts';
import { selectAll } from './elements.ts';
import { drawingsOf, loadFigures } from './figures.ts';
import { applyFilter, loadTables } from './filter.ts';
import { addFilterBar } from './filter-bar.ts';
import { watchPoints } from './points.ts';
import { addSaveButtons } from './save.ts';

const figures = loadFigures();
const tables = loadTables();
const card = new PointCard();
let address = parseAddress(location.hash);
const bar = addFilterBar(
  figures,
  tables,
  () => address.filter,
  () => {
    showFilter();
    writeAddress();
  },
);

function showFilter(): void {
  card.hide();
  const { shown, whole } = applyFilter(address.filter, figures, tables);
  bar.show(address.filter, shown === whole ? '' : `${shown} of ${whole} points shown`);
}

function writeAddress(): void {
  try {
    history.replaceState(null, '', formatAddress(address));
  } catch {
    // A page in a frame or a file viewer may not be allowed to change its address; the filter works nevertheless.
  }
}

/**
 * Scrolls to the element that the page's address names. It opens all folded parts around this element, and if the element is a
 * section, those directly within it. If there is no such element, nothing happens.
 */
function goToElement(): void {
  const target = document.getElementById(address.id);
  if (target === null) return;
  for (let one: Element | null = target; one !== null; one = one.parentElement)
    if (one instanceof HTMLDetailsElement) one.open = true;
  if (target.localName === 'section')
    for (const one of selectAll<HTMLDetailsElement>(target, ':scope > details')) one.open = true;
  target.scrollIntoView();
}

for (const figure of figures) {
  addSaveButtons(figure);
  for (const svg of drawingsOf(figure)) watchPoints(figure, svg, card);
}
showFilter();
goToElement();
addEventListener('hashchange', () => {
  // A link within the page names only an element and no filter, so the current filter stays.
  const linked = parseAddress(location.hash);
  address = location.hash.includes('=') ? linked : { id: linked.id, filter: address.filter };
  showFilter();
  writeAddress();
  goToElement();
});
