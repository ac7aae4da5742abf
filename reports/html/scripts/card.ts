/** Shows a card beside a point: name, value, interval, samples and their distribution. */
export const card = `
const make = (name, text, attributes) => {
  const element = document.createElement(name);
  if (text != null) element.textContent = text;
  return dress(element, attributes);
};
const button = (text, act, attributes) => {
  const element = make('button', text, { type: 'button', ...attributes });
  element.onclick = act;
  return element;
};
const draw = (name, attributes) => dress(document.createElementNS('http://www.w3.org/2000/svg', name), attributes);
function timeText(ns) {
  const [one, unit] = [[1e9, ' s'], [1e6, ' ms'], [1e3, ' \u00b5s']].find(([least]) => ns >= least) ?? [1, ' ns'];
  return Number((ns / one).toPrecision(3)) + unit;
}
/** Draws the distribution of samples: bars, or a box from p5 to p95. Below it each launch has a tick. Null if all are equal. */
function strip(point) {
  const [width, height, foot] = [230, 44, 10];
  const { value, low, high, min, max, p5, p95, p99, each, bins } = point;
  const launches = each ? each.split(' ').map(Number) : [];
  const [fromText, toText, heights] = (bins ?? '').split(' ');
  const hasBins = heights != null;
  const known = [p5, p95, low, high, ...launches].filter(isNumber);
  const from = hasBins ? Number(fromText) : Math.min(min, ...known);
  const to = hasBins ? Number(toText) : Math.max(p99 ?? p95 ?? value, ...known);
  if (!(to > from)) return null;
  const at = (ns) => Math.max(0, Math.min(width, (width * (ns - from)) / (to - from)));
  const whole = height + foot;
  const svg = draw('svg', { width, height: whole, viewBox: '0 0 ' + width + ' ' + whole, class: 'strip', 'aria-hidden': true });
  const bar = (name, x, y, width, height) => svg.append(draw('rect', { x, y, width, height, class: name }));
  if (hasBins) {
    const step = width / heights.length;
    [...heights].forEach((one, i) => {
      const tall = (parseInt(one, 36) / 35) * height;
      bar('bin', i * step, height - tall, step - 0.5, tall);
    });
  } else {
    const [left, right] = [at(p5 ?? min), at(p95 ?? max)];
    bar('bin', 0, height / 2 - 0.5, width, 1);
    bar('bin', left, height / 2 - 7, Math.max(1, right - left), 14);
  }
  if (isNumber(low)) bar('span', at(low), 0, Math.max(1, at(high) - at(low)), height);
  bar('median', at(value) - 0.75, 0, 1.5, height);
  for (const launch of launches) bar('median', at(launch) - 0.5, height + 2, 1, foot - 2);
  return { svg, from, to, hasBins };
}
function cardOf(point) {
  const { tip, value, low, high, why } = point;
  const end = tip.indexOf(': ');
  const parts = [make('b', end < 0 ? tip : tip.slice(0, end))];
  const say = (text, attributes) => parts.push(make('div', text, attributes));
  if (end >= 0) say(tip.slice(end + 2));
  if (!isNumber(value)) return parts;
  const span = (from, to) => timeText(from) + ' to ' + timeText(to);
  say(isNumber(low) ? '95 % interval ' + span(low, high) : 'no interval' + (why ? ': ' + why : ''));
  const count = (n, what) => n + what + (n === 1 ? '' : what.endsWith('h') ? 'es' : 's');
  say('n = ' + count(point.samples, ' sample') + ' in ' + count(point.launches, ' launch'));
  const drawn = strip(point);
  if (drawn === null) return parts;
  parts.push(drawn.svg);
  const faint = { class: 'faint' };
  say(span(drawn.from, drawn.to) + ': ' + (drawn.hasBins ? 'samples' : 'p5 to p95') + ', interval, median; below each launch', faint);
  const quantiles = ['min', 'p95', 'p99', 'max'].filter((name) => isNumber(point[name]));
  say(quantiles.map((name) => name + ' ' + timeText(point[name])).join(', '), faint);
  return parts;
}
`;
