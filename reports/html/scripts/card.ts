/** The card beside a point: its name, value, interval, samples and how they are distributed. */
export const card = `
const make = (name, text, attributes = {}) => {
  const element = document.createElement(name);
  if (text != null) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const draw = (name, attributes) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const digits = (value) => Number(value.toPrecision(3)).toString();
function timeText(ns) {
  if (ns >= 1e9) return digits(ns / 1e9) + ' s';
  if (ns >= 1e6) return digits(ns / 1e6) + ' ms';
  return ns >= 1e3 ? digits(ns / 1e3) + ' \u00b5s' : digits(ns) + ' ns';
}
/** Bars of the samples, or a box of their quantiles; below them a tick for each launch. */
function strip(point) {
  const [width, height, foot] = [230, 44, 10];
  const launches = String(point.each ?? '').split(' ').filter((one) => one !== '').map(Number);
  const [fromText, toText, heights] = String(point.bins ?? '').split(' ');
  const hasBins = heights != null;
  const known = [point.p5, point.p95, point.low, point.high, ...launches].filter((one) => typeof one === 'number');
  const from = hasBins ? Number(fromText) : Math.min(point.min, ...known);
  const to = hasBins ? Number(toText) : Math.max(point.p99 ?? point.p95 ?? point.value, ...known);
  if (!(to > from)) return null;
  const at = (ns) => Math.max(0, Math.min(width, (width * (ns - from)) / (to - from)));
  const svg = draw('svg', { width, height: height + foot, viewBox: '0 0 ' + width + ' ' + (height + foot), class: 'strip' });
  svg.setAttribute('aria-hidden', 'true');
  if (hasBins) {
    const step = width / heights.length;
    [...heights].forEach((one, i) => {
      const high = (parseInt(one, 36) / 35) * height;
      svg.append(draw('rect', { x: i * step, y: height - high, width: step - 0.5, height: high, class: 'bin' }));
    });
  } else {
    const [left, right] = [at(point.p5 ?? point.min), at(point.p95 ?? point.max)];
    svg.append(draw('rect', { x: 0, y: height / 2 - 0.5, width, height: 1, class: 'bin' }));
    svg.append(draw('rect', { x: left, y: height / 2 - 7, width: Math.max(1, right - left), height: 14, class: 'bin' }));
  }
  if (typeof point.low === 'number')
    svg.append(draw('rect', { x: at(point.low), y: 0, width: Math.max(1, at(point.high) - at(point.low)), height, class: 'span' }));
  svg.append(draw('rect', { x: at(point.value) - 0.75, y: 0, width: 1.5, height, class: 'median' }));
  for (const launch of launches) svg.append(draw('rect', { x: at(launch) - 0.5, y: height + 2, width: 1, height: foot - 2, class: 'median' }));
  return { svg, from, to, hasBins };
}
function cardOf(point) {
  const text = String(point.tip);
  const end = text.indexOf(': ');
  const parts = [make('b', end < 0 ? text : text.slice(0, end))];
  if (end >= 0) parts.push(make('div', text.slice(end + 2)));
  if (typeof point.value !== 'number') return parts;
  parts.push(make('div', typeof point.low === 'number'
    ? '95 % interval ' + timeText(point.low) + ' to ' + timeText(point.high)
    : 'no interval' + (point.why ? ': ' + point.why : '')));
  parts.push(make('div', 'n = ' + point.samples + (point.samples === 1 ? ' sample' : ' samples') + ' in ' + point.launches + (point.launches === 1 ? ' launch' : ' launches')));
  const drawn = strip(point);
  if (drawn === null) return parts;
  parts.push(drawn.svg);
  const quantiles = [['min', point.min], ['p95', point.p95], ['p99', point.p99], ['max', point.max]]
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => name + ' ' + timeText(value));
  parts.push(make('div', timeText(drawn.from) + ' to ' + timeText(drawn.to) + ': ' + (drawn.hasBins ? 'samples' : 'p5 to p95') + ', interval, median; below each launch', { class: 'faint' }));
  parts.push(make('div', quantiles.join(', '), { class: 'faint' }));
  return parts;
}
`;
