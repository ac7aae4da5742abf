/** Moves the card with the pointer, and with the arrow keys while a drawing has the focus. */
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
  const moved = mark.transform.baseVal.consolidate()?.matrix ?? { e: 0, f: 0 };
  return { x: box.x + box.width / 2 + moved.e, y: box.y + box.height / 2 + moved.f };
}
function show(figure, mark) {
  const point = figure.points[mark.dataset.i];
  tip.replaceChildren(...cardOf(point));
  tip.hidden = false;
  const { x, y } = middleOf(mark);
  dress(ring, { cx: x, cy: y });
  mark.parentNode.append(ring);
  const box = mark.getBoundingClientRect();
  const page = document.documentElement;
  const left = Math.min(box.right + 12, page.clientWidth - tip.offsetWidth - 8);
  const below = box.bottom + 12 + tip.offsetHeight > innerHeight && box.top - 12 > tip.offsetHeight;
  tip.style.left = Math.max(8, left) + scrollX + 'px';
  tip.style.top = (below ? box.top - 12 - tip.offsetHeight : box.bottom + 12) + scrollY + 'px';
}
function watch(figure, svg) {
  const marks = all(svg, '[data-i]');
  if (marks.length === 0) return;
  let current = null;
  let places = [];
  const settle = () => {
    const from = svg.getBoundingClientRect();
    places = marks.filter(isShown).map((mark) => {
      const { x, y, width, height } = mark.getBoundingClientRect();
      const [left, top] = [x - from.x, y - from.y];
      return { mark, left, right: left + width, top, bottom: top + height };
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
  const follow = (event) => {
    const { x, y } = svg.getBoundingClientRect();
    if (places.length === 0) settle();
    go(nearest(event.clientX - x, event.clientY - y, 24));
  };
  const on = (name, act) => svg.addEventListener(name, act);
  on('pointerenter', settle);
  on('pointermove', follow);
  on('pointerdown', (event) => { settle(); follow(event); });
  on('pointerleave', hide);
  on('blur', hide);
  dress(svg, { tabindex: 0, 'aria-roledescription': 'chart; arrow keys move from point to point' });
  on('keydown', (event) => {
    const { key } = event;
    if (key === 'Escape') { current = null; return hide(); }
    if (!/^(Arrow.*|Home|End)$/.test(key)) return;
    event.preventDefault();
    settle();
    const of = (mark) => figure.points[mark.dataset.i].series;
    if (places.length === 0) return;
    if (current === null || !isShown(current)) return go(places[0].mark);
    const along = (series) => places.filter(({ mark }) => of(mark) === series);
    const own = of(current);
    const line = along(own);
    const at = line.findIndex(({ mark }) => mark === current);
    const next = { Home: line[0], End: line.at(-1), ArrowRight: line[at + 1] ?? line[at], ArrowLeft: line[at - 1] ?? line[at] }[key];
    if (next) return go(next.mark);
    const names = [...new Set(places.map(({ mark }) => of(mark)))];
    const other = names.at((names.indexOf(own) + (key === 'ArrowDown' ? 1 : -1)) % names.length);
    const away = (one) => Math.abs(one.left - line[at].left);
    go(along(other).reduce((best, one) => (away(one) < away(best) ? one : best)).mark);
  });
}
`;
