import { cardContent, type SampleStrip } from '../card-content.ts';
import { createHtml, createSvg, setAttributes } from './elements.ts';
import { centreOf, pointOf, type ShownFigure } from './figures.ts';

/** The box with facts about the drawn point under the pointer, and the ring that marks this point. A page has one of each. */
export class PointCard {
  private readonly box = createHtml('div', '', { id: 'tip', role: 'status', class: 'screen' });
  private readonly ring = createSvg('circle', { r: 7, class: 'ring' });

  constructor() {
    this.box.hidden = true;
    document.body.append(this.box);
  }

  get isHidden(): boolean {
    return this.box.hidden !== false;
  }

  hide(): void {
    this.box.hidden = true;
    this.ring.remove();
  }

  show(figure: ShownFigure, mark: SVGGraphicsElement): void {
    const point = pointOf(figure, mark);
    if (point === undefined) return;
    const { title, lines, strip, notes } = cardContent(point);
    this.box.replaceChildren(
      createHtml('b', title),
      ...lines.map((line) => createHtml('div', line)),
      ...(strip === null ? [] : [drawStrip(strip)]),
      ...notes.map((note) => createHtml('div', note, { class: 'faint' })),
    );
    this.box.hidden = false;
    const { x, y } = centreOf(mark);
    mark.parentNode?.append(setAttributes(this.ring, { cx: x, cy: y }));
    this.placeBeside(mark.getBoundingClientRect());
  }

  /** Places the box to the lower right of a drawn point, or above the point if there is no room below. */
  private placeBeside({ right, top, bottom }: DOMRect): void {
    const { box } = this;
    const left = Math.min(right + 12, document.documentElement.clientWidth - box.offsetWidth - 8);
    const isAbove = bottom + 12 + box.offsetHeight > innerHeight && top - 12 > box.offsetHeight;
    box.style.left = `${Math.max(8, left) + scrollX}px`;
    box.style.top = `${(isAbove ? top - 12 - box.offsetHeight : bottom + 12) + scrollY}px`;
  }
}

function drawStrip({ width, height, bars }: SampleStrip): SVGSVGElement {
  const viewBox = `0 0 ${width} ${height}`;
  const svg = createSvg('svg', { width, height, viewBox, class: 'strip', 'aria-hidden': 'true' });
  svg.append(...bars.map(({ kind, ...place }) => createSvg('rect', { ...place, class: kind })));
  return svg;
}
