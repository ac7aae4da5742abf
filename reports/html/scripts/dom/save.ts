import { csvText } from '../csv.ts';
import { createButton, createHtml, createSvg, selectAll, setAttributes } from './elements.ts';
import type { ShownFigure } from './figures.ts';

const blobOf = (text: string, type: string): Blob => new Blob([text], { type });

/** Offers a file to the reader as a download. @param name file name that the browser proposes */
function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  createHtml('a', '', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * Returns the drawing of a chart for wide screens as SVG text with title and description, without what the page's filter hides; ''
 * if the page has no such drawing.
 */
function svgText({ element, title }: ShownFigure): string {
  const svg = element.querySelector('.wide svg')?.cloneNode(true);
  if (!(svg instanceof SVGSVGElement)) return '';
  for (const hidden of selectAll(svg, '.off, .ring')) hidden.remove();
  for (const { name } of [...svg.attributes]) if (/^(tab|aria)/.test(name)) svg.removeAttribute(name);
  const [titleElement, description] = [createSvg('title'), createSvg('desc')];
  titleElement.append(title);
  description.append(element.querySelector('figcaption')?.textContent?.trim() ?? '');
  svg.prepend(titleElement, description);
  return new XMLSerializer().serializeToString(svg);
}

/**
 * Offers a chart's drawing for wide screens as a PNG file to download, with two image pixels for each CSS pixel. If the page has no
 * such drawing, nothing happens.
 */
function savePng(figure: ShownFigure): void {
  const size = figure.element.querySelector<SVGSVGElement>('.wide svg')?.viewBox.baseVal;
  if (size === undefined) return;
  const image = new Image();
  image.onload = () => {
    const canvas = createHtml('canvas', '', { width: 2 * size.width, height: 2 * size.height });
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => {
      if (blob !== null) download(`${figure.name}.png`, blob);
    });
  };
  setAttributes(image, { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(figure))}` });
}

/** File formats in which the reader can save a chart; all are made from data in the page. */
const formats: readonly { name: string; save(figure: ShownFigure): void }[] = [
  {
    name: 'SVG',
    save: (figure) => download(`${figure.name}.svg`, blobOf(svgText(figure), 'image/svg+xml')),
  },
  { name: 'PNG', save: savePng },
  {
    name: 'CSV',
    save: (figure) => download(`${figure.name}.csv`, blobOf(csvText(figure.rows()), 'text/csv')),
  },
  {
    name: 'Vega-Lite',
    save: (figure) => {
      const text = JSON.stringify(figure.spec(), null, 1);
      download(`${figure.name}.vl.json`, blobOf(text, 'application/json'));
    },
  },
];

/** Adds buttons that save a chart, and a link to the chart. They replace the links to the chart's files. */
export function addSaveButtons(figure: ShownFigure): void {
  const { element, number } = figure;
  const bar = createHtml('div', 'Save as ', { class: 'save screen' });
  for (const { name, save } of formats) {
    bar.append(createButton(name, () => save(figure), { 'aria-label': `Save figure ${number} as ${name}` }));
  }
  bar.append(createHtml('a', `Link to figure ${number}`, { href: `#figure-${number}` }));
  element.querySelector('.files')?.remove();
  element.querySelector('figcaption')?.after(bar);
}
