/** Filters figures and table rows by transport, operation, host and a range of sizes. */
export const filter = `
const kinds = [['transport', 'over'], ['what', 'operation'], ['node', 'node']];
const off = { transport: new Set(), what: new Set(), node: new Set() };
const range = { from: null, to: null };
const isOn = ({ x, ...one }) =>
  kinds.every(([kind]) => !off[kind].has(one[kind])) && (x == null || (x >= (range.from ?? x) && x <= (range.to ?? x)));
function filterDrawing(figure, svg) {
  const seen = new Set();
  const xs = [];
  const isCut = range.from !== null || range.to !== null;
  for (const mark of all(svg, '[data-i]')) {
    const point = figure.points[mark.dataset.i];
    if (!keep(mark, isOn(point))) continue;
    seen.add(point.series);
    if (isCut) xs.push(middleOf(mark).x);
  }
  const lines = all(svg, '[data-s]');
  for (const line of lines) {
    keep(line, seen.has(figure.series[line.dataset.s]));
    line.removeAttribute('clip-path');
  }
  svg.querySelector('clipPath.range')?.remove();
  for (const text of all(svg, 'text'))
    if (figure.series.includes(text.textContent)) text.classList.toggle('gone', !seen.has(text.textContent));
  if (!isCut || xs.length === 0 || lines.length === 0) return;
  const left = Math.min(...xs) - 1;
  const id = 'range-' + figure.number + '-' + svg.parentNode.className;
  const clip = draw('clipPath', { id, class: 'range' });
  clip.append(draw('rect', { x: left, y: -100, width: Math.max(...xs) + 1 - left, height: 5000 }));
  svg.append(clip);
  for (const line of lines) line.setAttribute('clip-path', 'url(#' + id + ')');
}
/** Shows or hides the rows of a table. Of successive rows with one size only the first visible row shows the size. */
function filterTable(body) {
  let last = null;
  for (const row of body.rows) {
    const { x } = row.dataset;
    if (!keep(row, isOn(row.dataset)) || row.sizeText == null) continue;
    row.querySelector(':scope > .x').textContent = x === last ? '' : row.sizeText;
    last = x;
  }
}
function applyFilter() {
  hide();
  let [left, whole] = [0, 0];
  for (const figure of figures) {
    const placed = figure.points.filter(({ x }) => isNumber(x));
    const shown = placed.filter(isOn).length;
    whole += placed.length;
    left += shown;
    const isEmpty = placed.length > 0 && shown === 0;
    keep(figure.element, !isEmpty && !off.node.has(figure.host));
    if (shown > 0) for (const svg of drawingsOf(figure)) filterDrawing(figure, svg);
  }
  bodies.forEach(filterTable);
  const count = document.querySelector('#filters output');
  if (count !== null) count.textContent = left === whole ? '' : left + ' of ' + whole + ' points shown';
}
const bodies = all(document, 'tbody').filter((body) => body.querySelector(':scope > :is([data-x], [data-transport], [data-node])'));
for (const body of bodies) {
  let text = '';
  for (const row of body.rows) {
    const cell = row.querySelector(':scope > .x');
    if (cell === null) continue;
    text = cell.textContent || text;
    row.sizeText = text;
  }
}
/** Adds the filter bar, with kinds that have at least two values. Returns a function that sets its inputs to the filter. */
function filterBar() {
  const of = (kind) => [...new Set([
    ...figures.flatMap(({ points, host }) => (kind === 'node' ? [host] : points.map((point) => point[kind]))),
    ...bodies.flatMap((body) => [...body.rows].map((row) => row.dataset[kind])),
  ])].filter((one) => one != null);
  const form = make('form', null, { id: 'filters', class: 'screen', 'aria-label': 'Filter figures and tables' });
  const setOf = (name) => {
    const set = make('fieldset');
    set.append(make('legend', name));
    form.append(set);
    return set;
  };
  const boxes = [];
  for (const [kind, name] of kinds) {
    const choices = of(kind);
    if (choices.length < 2) continue;
    const set = setOf(name);
    for (const one of choices) {
      const label = make('label');
      const box = make('input', null, { type: 'checkbox', name: kind, value: one });
      box.onchange = () => {
        off[kind][box.checked ? 'delete' : 'add'](one);
        changed();
      };
      boxes.push([box, kind, one]);
      label.append(box, one);
      set.append(label);
    }
  }
  const texts = new Map(figures.flatMap(({ points }) => points.filter(({ x, at }) => x > 0 && at).map(({ x, at }) => [x, at])));
  const sizes = [...texts.keys()].sort((a, b) => a - b);
  const selects = [];
  if (sizes.length > 1) {
    const set = setOf('size');
    for (const end of ['from', 'to']) {
      const select = make('select', null, { name: end, 'aria-label': 'size ' + end });
      for (const size of sizes) select.append(make('option', texts.get(size), { value: size }));
      const whole = end === 'from' ? sizes[0] : sizes.at(-1);
      select.onchange = () => {
        range[end] = Number(select.value) === whole ? null : Number(select.value);
        changed();
      };
      selects.push([select, end, whole]);
      if (end === 'to') set.append(' to ');
      set.append(select);
    }
  }
  if (boxes.length + selects.length === 0) return () => {};
  const showAll = () => {
    for (const set of Object.values(off)) set.clear();
    range.from = range.to = null;
    changed();
  };
  form.append(button('Show all', showAll), make('output'));
  const contents = document.querySelector('nav.contents');
  if (contents === null) document.querySelector('figure').before(form);
  else contents.after(form);
  return () => {
    for (const [box, kind, one] of boxes) box.checked = !off[kind].has(one);
    for (const [select, end, whole] of selects) select.value = range[end] ?? whole;
  };
}
`;
