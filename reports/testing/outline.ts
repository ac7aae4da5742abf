/**
 * Browser script that describes a page as text: each part in order, and its problems. Screenshots would differ with every font
 * version; this text differs only if a reader would miss something. Problems are missing parts or columns, drawings with text
 * that is cut, covered or too pale, and overlapping parts.
 */
export const outline = `(() => {
  const lines = [];
  const page = document.documentElement;
  const text = (element) => (element?.textContent ?? '').replaceAll(/\\s+/g, ' ').trim();
  const short = (words) => (words.length > 70 ? words.slice(0, 69) + '…' : words);
  const isShown = (element) => element !== null && element.checkVisibility() && element.getClientRects().length > 0;
  const counted = (what, all) => (all.length === 0 ? '' : ', ' + all.length + ' ' + what + ' (' + short(all[0]) + ')');
  const light = (colour) => {
    const [r, g, b] = /[\\d.]+/g[Symbol.match](colour).map((one) => {
      const share = one / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  /** Boxes of the letters: their ascent and descent reach far beyond them. */
  const inner = (box) => ({ left: box.left + 1, right: box.right - 1, top: box.top + box.height * 0.25, bottom: box.bottom - box.height * 0.25 });
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  function drawing(svg) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter((one) => isShown(one) && text(one) !== '' && getComputedStyle(one).opacity !== '0');
    const placed = texts.map((one) => ({ one, box: one.getBoundingClientRect(), isTurned: /rotate/.test(one.getAttribute('transform') ?? '') }));
    const cut = placed.filter(({ box }) => box.left < frame.left - 3 || box.right > frame.right + 3 || box.top < frame.top - 3 || box.bottom > frame.bottom + 3);
    const covered = placed.filter(({ box, isTurned }, i) => !isTurned && placed.some((other, j) => j > i && !other.isTurned && meet(inner(box), inner(other.box))));
    const paper = svg.querySelector('rect');
    const behind = paper === null || getComputedStyle(paper).fill === 'none' ? getComputedStyle(document.body).backgroundColor : getComputedStyle(paper).fill;
    const pale = behind.startsWith('rgba(0, 0, 0, 0') ? [] : texts.filter((one) => contrast(light(getComputedStyle(one).fill), light(behind)) < 4.5);
    return 'drawing: ' + svg.querySelectorAll('[data-i]').length + ' marks, ' + svg.querySelectorAll('[data-s]').length + ' lines, ' + texts.length + ' texts'
      + counted('cut off', cut.map(({ one }) => text(one))) + counted('covered', covered.map(({ one }) => text(one))) + counted('pale', pale.map(text));
  }
  function ofTable(table) {
    const box = table.closest('.scroll') ?? table.parentElement;
    const scrolls = ['auto', 'scroll'].includes(getComputedStyle(box).overflowX);
    const end = table.getBoundingClientRect().right - box.getBoundingClientRect().left + box.scrollLeft;
    const lost = [...table.querySelectorAll('td')].filter((cell) => text(cell) !== '' && cell.closest('.off') === null && !isShown(cell));
    const isCut = end > (scrolls ? box.scrollWidth : box.clientWidth) + 1;
    const heads = [...table.querySelectorAll('thead th')].map(text);
    return 'table: ' + table.tBodies[0].rows.length + ' rows; ' + heads.join(' | ') + counted('cells lost', lost.map(text)) + (isCut ? ', CUT OFF' : '');
  }
  const kinds = 'h1, h2, h3, .badges, .answers, nav, #filters, .save, table, figure .wide > svg, figure .narrow > svg, figcaption, summary, pre';
  const shown = [...document.querySelectorAll(kinds)].filter(isShown);
  for (const one of shown) {
    const name = one.localName;
    if (name === 'svg') lines.push('  ' + one.parentElement.className + ' ' + drawing(one));
    else if (name === 'table') lines.push('  ' + ofTable(one));
    else if (/^h\\d$/.test(name)) lines.push(name + ' ' + short(text(one)));
    else if (one.matches('.badges, .answers')) lines.push(one.className + ': ' + one.children.length);
    else lines.push('  ' + (one.id || one.className || name) + (name === 'summary' ? ' ' + short(text(one)) : ''));
  }
  const boxes = [...document.querySelectorAll('main > *, section > *, figure > *')].filter((one) => isShown(one) && !/fixed|sticky|absolute/.test(getComputedStyle(one).position));
  const upon = boxes.filter((one) => {
    const next = one.nextElementSibling;
    if (!boxes.includes(next)) return false;
    const [a, b] = [one.getBoundingClientRect(), next.getBoundingClientRect()];
    return a.bottom > b.top + 2 && a.right > b.left + 2 && b.right > a.left + 2 && b.bottom > a.top + 2;
  });
  const sideways = page.scrollWidth > page.clientWidth + 1 ? ', SCROLLS SIDEWAYS' : '';
  return ['whole' + sideways + counted('parts upon the next', upon.map((one) => one.localName + ' ' + text(one))), ...lines];
})()`;
