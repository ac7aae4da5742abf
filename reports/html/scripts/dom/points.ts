import { isMoveKey, markAfterKey, nearestMark, type PlacedMark } from '../mark-search.ts';
import type { PointCard } from './card.ts';
import { setAttributes } from './elements.ts';
import { marksIn, pointOf, type ShownFigure } from './figures.ts';

/** Maximum distance in pixels between the pointer and a drawn point whose facts are shown. */
const reachPx = 24;

const isVisible = (mark: Element): boolean => mark.closest('.off') === null;

/**
 * Shows a box with facts about the point under the pointer. While the drawing has the focus, arrow keys, Home and End choose the
 * point, and Escape hides the box. The function adds listeners to the drawing, so it must be called only once for each drawing.
 */
export function watchPoints(figure: ShownFigure, svg: SVGSVGElement, card: PointCard): void {
  const marks = marksIn(svg);
  if (marks.length === 0) return;
  let current: SVGGraphicsElement | null = null;
  let places: PlacedMark<SVGGraphicsElement>[] = [];
  /** Stores the positions of the visible points, which change with the filter and the width of the window. */
  const notePlaces = (): void => {
    const frame = svg.getBoundingClientRect();
    places = marks.filter(isVisible).map((mark) => {
      const { x, y, width, height } = mark.getBoundingClientRect();
      const [left, top] = [x - frame.x, y - frame.y];
      const series = pointOf(figure, mark)?.series ?? null;
      return { mark, series, left, right: left + width, top, bottom: top + height };
    });
  };
  const goTo = (mark: SVGGraphicsElement | null): void => {
    if (mark === current && !card.isHidden) return;
    current = mark;
    if (mark === null) card.hide();
    else card.show(figure, mark);
  };
  const follow = ({ clientX, clientY }: PointerEvent): void => {
    const { x, y } = svg.getBoundingClientRect();
    if (places.length === 0) notePlaces();
    goTo(nearestMark(places, clientX - x, clientY - y, reachPx));
  };
  setAttributes(svg, { tabindex: 0, 'aria-roledescription': 'chart; arrow keys move from point to point' });
  svg.addEventListener('pointerenter', notePlaces);
  svg.addEventListener('pointermove', follow);
  svg.addEventListener('pointerdown', (event) => {
    notePlaces();
    follow(event);
  });
  svg.addEventListener('pointerleave', () => card.hide());
  svg.addEventListener('blur', () => card.hide());
  svg.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') goTo(null);
    if (!isMoveKey(event.key)) return;
    event.preventDefault();
    notePlaces();
    const mark = markAfterKey(places, current, event.key);
    if (mark !== null) goTo(mark);
  });
}
