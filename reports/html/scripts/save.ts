/** Saves a figure as SVG, PNG, CSV or Vega-Lite specification, all made from data in the page. */
export const save = `
function download(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  make('a', null, { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
/** Returns the SVG of a figure, with title and description, without the parts that the filter hides. */
function drawingOf(figure) {
  const svg = figure.element.querySelector('.wide svg').cloneNode(true);
  for (const hidden of all(svg, '.off, .ring')) hidden.remove();
  for (const { name } of [...svg.attributes]) if (/^(tab|aria)/.test(name)) svg.removeAttribute(name);
  const [title, description] = [draw('title'), draw('desc')];
  title.append(figure.title);
  description.append(figure.element.querySelector('figcaption').textContent.trim());
  svg.prepend(title, description);
  return new XMLSerializer().serializeToString(svg);
}
/** Returns rows as CSV (RFC 4180), as in the CSV files of the report. A quote disables texts that look like formulas. */
function csvText(rows) {
  const field = (value) => {
    if (value == null) return '';
    let text = String(value);
    if (typeof value === 'string' && /^[=+@\\t\\r-]/.test(text)) text = "'" + text;
    return /[",\\r\\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const names = Object.keys(rows[0] ?? {});
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((line) => line.map(field).join(',') + '\\n')
    .join('');
}
function savePng(figure) {
  const text = drawingOf(figure);
  const size = figure.element.querySelector('.wide svg').viewBox.baseVal;
  const image = new Image();
  image.onload = () => {
    const canvas = make('canvas', null, { width: 2 * size.width, height: 2 * size.height });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(figure.name + '.png', blob));
  };
  image.setAttribute('src', 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text));
}
const forms = [
  ['SVG', (figure) => download(figure.name + '.svg', drawingOf(figure), 'image/svg+xml')],
  ['PNG', savePng],
  ['CSV', (figure) => download(figure.name + '.csv', csvText(figure.rows()), 'text/csv')],
  ['Vega-Lite', (figure) => download(figure.name + '.vl.json', JSON.stringify(figure.spec(), null, 1), 'application/json')],
];
function offerToSave(figure) {
  const bar = make('div', 'Save as ', { class: 'save screen' });
  for (const [name, act] of forms) {
    bar.append(button(name, () => act(figure), { 'aria-label': 'Save figure ' + figure.number + ' as ' + name }));
  }
  bar.append(make('a', 'Link to figure ' + figure.number, { href: '#figure-' + figure.number }));
  figure.element.querySelector('.files')?.remove();
  figure.element.querySelector('figcaption').after(bar);
}
`;
