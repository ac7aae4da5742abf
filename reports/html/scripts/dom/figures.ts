import { type PageFigure, type PointFacts, unpackFigures } from '../page-data.ts';
import { selectAll } from './elements.ts';

/** A chart of the page: its unpacked data and its HTML element. */
export interface ShownFigure extends PageFigure {
  element: HTMLElement;
}

/**
 * Returns all charts of the page whose data the page contains as JSON, in page order. A chart that is not inside a figure element
 * is left out.
 */
export function loadFigures(): ShownFigure[] {
  const scripts = selectAll(document, 'figure script[type="application/json"][id^="data-"]');
  const figures = unpackFigures(scripts.map(({ textContent }) => textContent ?? ''));
  return figures.flatMap((figure, i) => {
    const element = scripts[i]?.closest<HTMLElement>('figure');
    return element ? [{ ...figure, element }] : [];
  });
}

/** Returns the drawings of a chart that the page contains: for wide and for narrow screens. */
export const drawingsOf = ({ element }: ShownFigure): SVGSVGElement[] =>
  selectAll<SVGSVGElement>(element, '.wide > svg, .narrow > svg');

/** Returns the SVG elements of a drawing that stand for measured points. */
export const marksIn = (svg: SVGSVGElement): SVGGraphicsElement[] =>
  selectAll<SVGGraphicsElement>(svg, '[data-i]');

/**
 * Returns the stored facts (name, time, interval ...) about the point for which an SVG element stands; undefined if there are none.
 */
export const pointOf = ({ points }: ShownFigure, mark: SVGGraphicsElement): PointFacts | undefined =>
  points[Number(mark.dataset.i)];

/** Returns the centre of a drawn point, in the coordinates of its parent element. */
export function centreOf(mark: SVGGraphicsElement): { x: number; y: number } {
  const box = mark.getBBox();
  const moved = mark.transform.baseVal.consolidate()?.matrix ?? { e: 0, f: 0 };
  return { x: box.x + box.width / 2 + moved.e, y: box.y + box.height / 2 + moved.f };
}
