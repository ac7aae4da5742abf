/** What is shown: transports, operations, machines and a range of sizes; in figures and in rows of tables. */
export const filter = `
const kinds = [['transport', 'over'], ['what', 'operation'], ['node', 'node']];
const off = { transport: new Set(), what: new Set(), node: new Set() };
const range = { from: null, to: null };
const isWithin = (x) => (range.from === null || x >= range.from) && (range.to === null || x <= range.to);
const isOn = (one) => !off.transport.has(one.transport) && !off.what.has(one.what) && !off.node.has(one.node);
function filterDrawing(figure, svg) {
  const seen = new Set();
  const xs = [];
  const isCut = range.from !== null || range.to !== null;
  for (const mark of svg.querySelectorAll('[data-i]')) {
    const point = figure.points[Number(mark.dataset.i)];
    const shown = isOn(point) && (typeof point.x !== 'number' || isWithin(point.x));
    mark.classList.toggle('off', !shown);
    if (!shown) continue;
    seen.add(point.series);
    if (isCut) xs.push(middleOf(mark).x);
  }
  const lines = [...svg.querySelectorAll('[data-s]')];
  for (const line of lines) {
    line.classList.toggle('off', !seen.has(figure.series[Number(line.dataset.s)]));
    line.removeAttribute('clip-path');
  }
  svg.querySelector('clipPath.range')?.remove();
  for (const text of svg.querySelectorAll('text'))
    if (figure.series.includes(text.textContent)) text.classList.toggle('gone', !seen.has(text.textContent));
  if (!isCut || xs.length === 0 || lines.length === 0) return;
  const left = Math.min(...xs) - 1;
  const id = 'range-' + figure.number + '-' + svg.parentNode.className;
  const clip = draw('clipPath', { id, class: 'range' });
  clip.append(draw('rect', { x: left, y: -100, width: Math.max(...xs) + 1 - left, height: 5000 }));
  svg.append(clip);
  for (const line of lines) line.setAttribute('clip-path', 'url(#' + id + ')');
}
/** Each size is written in one row: the first that is shown. */
function filterTable(body) {
  let last = null;
  for (const row of body.rows) {
    const { transport, what, node, x } = row.dataset;
    const shown = isOn({ transport, what, node }) && (x == null || isWithin(Number(x)));
    row.classList.toggle('off', !shown);
    if (row.sizeText == null) continue;
    if (shown) row.querySelector(':scope > .x').textContent = x === last ? '' : row.sizeText;
    if (shown) last = x;
  }
}
function applyFilter() {
  hide();
  for (const figure of figures) {
    const placed = figure.points.filter(({ x }) => typeof x === 'number');
    const isEmpty = placed.length > 0 && !placed.some((point) => isOn(point) && isWithin(point.x));
    figure.element.classList.toggle('off', isEmpty || off.node.has(figure.host));
    if (placed.length === 0 || isEmpty) continue;
    for (const svg of figure.element.querySelectorAll('.wide > svg, .narrow > svg')) filterDrawing(figure, svg);
  }
  for (const body of bodies) filterTable(body);
  const shown = document.querySelector('#filters output');
  if (shown === null) return;
  const all = figures.flatMap(({ points }) => points.filter(({ x }) => typeof x === 'number'));
  const left = all.filter((point) => isOn(point) && isWithin(point.x)).length;
  shown.textContent = left === all.length ? '' : left + ' of ' + all.length + ' points shown';
}
const bodies = [...document.querySelectorAll('tbody')].filter((body) => body.querySelector(':scope > tr[data-x], :scope > tr[data-transport], :scope > tr[data-node]') !== null);
for (const body of bodies) {
  let text = '';
  for (const row of body.rows) {
    const cell = row.querySelector(':scope > .x');
    if (cell === null) continue;
    text = cell.textContent || text;
    row.sizeText = text;
  }
}
/** The bar: only choices of which there are several. */
function filterBar() {
  const of = (kind) => [...new Set([
    ...figures.flatMap(({ points, host }) => (kind === 'node' ? [host] : points.map((point) => point[kind]))),
    ...bodies.flatMap((body) => [...body.rows].map((row) => row.dataset[kind])),
  ])].filter((one) => typeof one === 'string');
  const form = make('form', null, { id: 'filters', class: 'screen', 'aria-label': 'Filter figures and tables' });
  const boxes = [];
  for (const [kind, name] of kinds) {
    const all = of(kind);
    if (all.length < 2) continue;
    const set = make('fieldset');
    set.append(make('legend', name));
    for (const one of all) {
      const label = make('label');
      const box = make('input', null, { type: 'checkbox', name: kind, value: one });
      box.addEventListener('change', () => {
        if (box.checked) off[kind].delete(one);
        else off[kind].add(one);
        changed();
      });
      boxes.push([box, kind, one]);
      label.append(box, one);
      set.append(label);
    }
    form.append(set);
  }
  const texts = new Map(figures.flatMap(({ points }) => points.filter(({ x, at }) => x > 0 && at).map(({ x, at }) => [x, at])));
  const sizes = [...texts.keys()].sort((a, b) => a - b);
  const selects = [];
  if (sizes.length > 1) {
    const set = make('fieldset');
    set.append(make('legend', 'size'));
    for (const end of ['from', 'to']) {
      const select = make('select', null, { name: end, 'aria-label': 'size ' + end });
      for (const size of sizes) select.append(make('option', texts.get(size), { value: size }));
      const whole = end === 'from' ? sizes[0] : sizes.at(-1);
      select.addEventListener('change', () => {
        range[end] = Number(select.value) === whole ? null : Number(select.value);
        changed();
      });
      selects.push([select, end, whole]);
      if (end === 'to') set.append(' to ');
      set.append(select);
    }
    form.append(set);
  }
  if (boxes.length + selects.length === 0) return () => {};
  const all = make('button', 'Show all', { type: 'button' });
  all.addEventListener('click', () => {
    for (const set of Object.values(off)) set.clear();
    range.from = range.to = null;
    changed();
  });
  form.append(all, make('output'));
  const place = document.querySelector('nav.contents') ?? document.querySelector('figure');
  if (place.matches('nav')) place.after(form);
  else place.before(form);
  return () => {
    for (const [box, kind, one] of boxes) box.checked = !off[kind].has(one);
    for (const [select, end, whole] of selects) select.value = String(range[end] ?? whole);
  };
}
`;
