import { type FilterKind, filterKinds, type PageFilter } from '../page-filter.ts';
import { createButton, createHtml } from './elements.ts';
import type { ShownFigure } from './figures.ts';
import type { FilteredTable } from './filter.ts';

/** The bar of a report page with inputs that hide transports, operations, hosts and message sizes. */
export interface FilterBar {
  /**
   * Sets all inputs of the bar as a filter says.
   * @param countText text about the number of points that are shown, such as "12 of 40 points shown"; '' if all are shown
   */
  show(filter: PageFilter, countText: string): void;
}

/** Function that sets one input of the filter bar, such as a checkbox, to the state of a filter. */
type FilterInput = (filter: PageFilter) => void;

/**
 * Adds the filter bar to the page: checkboxes for transports, operations and hosts, and two lists for sizes, each only if there are
 * at least two values. The bar is below the table of contents, or without one before the first chart. If nothing can be filtered,
 * no bar is added, and the `show` of the returned bar does nothing.
 * @param filter returns the filter, which the inputs change
 * @param changed called after each change
 */
export function addFilterBar(
  figures: readonly ShownFigure[],
  tables: readonly FilteredTable[],
  filter: () => PageFilter,
  changed: () => void,
): FilterBar {
  const attributes = { id: 'filters', class: 'screen', 'aria-label': 'Filter figures and tables' };
  const form = createHtml('form', '', attributes);
  const inputs: FilterInput[] = [];
  for (const { kind, heading } of filterKinds) {
    const values = valuesOf(kind, figures, tables);
    if (values.length < 2) continue;
    const set = addSet(form, heading);
    for (const value of values) inputs.push(addCheckbox(set, kind, value, filter, changed));
  }
  const sizes = sizesOf(figures);
  if (sizes.length > 1) inputs.push(...addSizes(addSet(form, 'size'), sizes, filter, changed));
  if (inputs.length === 0) return { show: () => {} };
  const count = createHtml('output');
  const showAll = createButton('Show all', () => {
    const current = filter();
    for (const { kind } of filterKinds) current.hidden[kind].clear();
    current.from = null;
    current.to = null;
    changed();
  });
  form.append(showAll, count);
  const contents = document.querySelector('nav.contents');
  if (contents === null) document.querySelector('figure')?.before(form);
  else contents.after(form);
  return {
    show: (shown, countText) => {
      for (const set of inputs) set(shown);
      count.textContent = countText;
    },
  };
}

/** Returns the different transports, operations or hosts (as `kind` says) in the page's charts and tables. */
function valuesOf(
  kind: FilterKind,
  figures: readonly ShownFigure[],
  tables: readonly FilteredTable[],
): string[] {
  const values = [
    ...figures.flatMap(({ points, host }) => (kind === 'node' ? [host] : points.map((point) => point[kind]))),
    ...tables.flatMap((rows) => rows.map((row) => row[kind])),
  ];
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

/** Returns the different sizes of drawn points with their texts, in ascending order. */
function sizesOf(figures: readonly ShownFigure[]): { x: number; text: string }[] {
  const texts = new Map<number, string>();
  for (const { points } of figures) for (const { x, at } of points) if (x && x > 0 && at) texts.set(x, at);
  return [...texts].map(([x, text]) => ({ x, text })).sort((a, b) => a.x - b.x);
}

function addSet(form: HTMLFormElement, heading: string): HTMLFieldSetElement {
  const set = createHtml('fieldset');
  set.append(createHtml('legend', heading));
  form.append(set);
  return set;
}

function addCheckbox(
  set: HTMLFieldSetElement,
  kind: FilterKind,
  value: string,
  filter: () => PageFilter,
  changed: () => void,
): FilterInput {
  const label = createHtml('label');
  const box = createHtml('input', '', { type: 'checkbox', name: kind, value });
  box.onchange = () => {
    if (box.checked) filter().hidden[kind].delete(value);
    else filter().hidden[kind].add(value);
    changed();
  };
  label.append(box, value);
  set.append(label);
  return ({ hidden }) => {
    box.checked = !hidden[kind].has(value);
  };
}

/**
 * Adds two lists with which readers choose the lowest and the highest size that the page shows. The lowest size in the first list
 * and the highest in the second mean no limit.
 */
function addSizes(
  set: HTMLFieldSetElement,
  sizes: readonly { x: number; text: string }[],
  filter: () => PageFilter,
  changed: () => void,
): FilterInput[] {
  return (['from', 'to'] as const).map((end) => {
    const select = createHtml('select', '', { name: end, 'aria-label': `size ${end}` });
    for (const { x, text } of sizes) select.append(createHtml('option', text, { value: x }));
    const whole = sizes.at(end === 'from' ? 0 : -1)?.x;
    select.onchange = () => {
      const x = Number(select.value);
      filter()[end] = x === whole ? null : x;
      changed();
    };
    if (end === 'to') set.append(' to ');
    set.append(select);
    return (shown) => {
      select.value = String(shown[end] ?? whole);
    };
  });
}
