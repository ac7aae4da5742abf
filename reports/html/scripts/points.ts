/** The card follows the pointer, and the arrow keys where a drawing has the focus. */
export const points = `
const tip = make('div', null, { id: 'tip', role: 'status', class: 'screen' });
tip.hidden = true;
document.body.append(tip);
const ring = draw('circle', { r: 7, class: 'ring' });
function hide() {
  tip.hidden = true;
  ring.remove();
}
const isShown = (mark) => !mark.classList.contains('off') && mark.closest('.off') === null;
function middleOf(mark) {
  const box = mark.getBBox();
  const matrix = mark.transform.baseVal.consolidate()?.matrix;
  const moved = matrix == null ? { e: 0, f: 0 } : matrix;
  return { x: box.x + box.width / 2 + moved.e, y: box.y + box.height / 2 + moved.f };
}
function show(figure, mark) {
  const point = figure.points[Number(mark.dataset.i)];
  tip.replaceChildren(...cardOf(point));
  tip.hidden = false;
  const { x, y } = middleOf(mark);
  ring.setAttribute('cx', x);
  ring.setAttribute('cy', y);
  mark.parentNode.append(ring);
  const box = mark.getBoundingClientRect();
  const page = document.documentElement;
  const left = Math.min(box.right + 12, page.clientWidth - tip.offsetWidth - 8);
  const below = box.bottom + 12 + tip.offsetHeight > innerHeight && box.top - 12 > tip.offsetHeight;
  tip.style.left = Math.max(8, left) + scrollX + 'px';
  tip.style.top = (below ? box.top - 12 - tip.offsetHeight : box.bottom + 12) + scrollY + 'px';
}
function watch(figure, svg) {
  const marks = [...svg.querySelectorAll('[data-i]')];
  if (marks.length === 0) return;
  let current = null;
  let places = [];
  const settle = () => {
    const box = svg.getBoundingClientRect();
    places = marks.filter(isShown).map((mark) => {
      const own = mark.getBoundingClientRect();
      return { mark, left: own.left - box.left, right: own.right - box.left, top: own.top - box.top, bottom: own.bottom - box.top };
    });
  };
  const nearest = (x, y, within) => {
    let best = null;
    let least = within;
    for (const one of places) {
      const distance = Math.hypot(Math.max(one.left - x, 0, x - one.right), Math.max(one.top - y, 0, y - one.bottom));
      if (distance < least) { least = distance; best = one.mark; }
    }
    return best;
  };
  const go = (mark) => {
    if (mark === current && !tip.hidden) return;
    current = mark;
    if (mark === null) hide();
    else show(figure, mark);
  };
  svg.addEventListener('pointerenter', settle);
  const follow = (event) => {
    const box = svg.getBoundingClientRect();
    if (places.length === 0) settle();
    go(nearest(event.clientX - box.left, event.clientY - box.top, 24));
  };
  svg.addEventListener('pointermove', follow);
  svg.addEventListener('pointerdown', (event) => { settle(); follow(event); });
  svg.addEventListener('pointerleave', hide);
  svg.addEventListener('blur', hide);
  svg.setAttribute('tabindex', '0');
  svg.setAttribute('aria-roledescription', 'chart; arrow keys move from point to point');
  svg.addEventListener('keydown', (event) => {
    const { key } = event;
    if (key === 'Escape') { current = null; return hide(); }
    if (!['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(key)) return;
    event.preventDefault();
    settle();
    const of = (mark) => figure.points[Number(mark.dataset.i)].series;
    if (places.length === 0) return;
    if (current === null || !isShown(current)) return go(places[0].mark);
    const line = places.filter(({ mark }) => of(mark) === of(current)).map(({ mark }) => mark);
    const at = line.indexOf(current);
    if (key === 'Home') return go(line[0]);
    if (key === 'End') return go(line.at(-1));
    if (key === 'ArrowRight' || key === 'ArrowLeft') return go(line[at + (key === 'ArrowRight' ? 1 : -1)] ?? current);
    const names = [...new Set(places.map(({ mark }) => of(mark)))];
    const other = names[(names.indexOf(of(current)) + (key === 'ArrowDown' ? 1 : names.length - 1)) % names.length];
    const own = places.find(({ mark }) => mark === current);
    const beside = places.filter(({ mark }) => of(mark) === other);
    go(beside.reduce((best, one) => (Math.abs(one.left - own.left) < Math.abs(best.left - own.left) ? one : best)).mark);
  });
}
`;
