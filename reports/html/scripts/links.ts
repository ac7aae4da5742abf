/** Keeps position and filter in the page's address: #figure-3&no-transport=socket&from=1024. */
export const links = `
let place = '';
function readAddress() {
  const [first = '', ...others] = location.hash.slice(1).split('&');
  const hasPlace = !first.includes('=');
  place = hasPlace ? decodeURIComponent(first) : '';
  const said = new URLSearchParams((hasPlace ? others : [first, ...others]).join('&'));
  for (const [kind] of kinds) off[kind] = new Set(said.getAll('no-' + kind));
  for (const end of ['from', 'to']) range[end] = said.has(end) ? Number(said.get(end)) || null : null;
}
function addressOf() {
  const said = new URLSearchParams();
  for (const [kind] of kinds) for (const one of off[kind]) said.append('no-' + kind, one);
  for (const end of ['from', 'to']) if (range[end] !== null) said.append(end, range[end]);
  return '#' + [encodeURIComponent(place), said.toString()].filter((one) => one !== '').join('&');
}
function writeAddress() {
  try {
    history.replaceState(null, '', addressOf());
  } catch {
    // In a frame or a file viewer the page may not be allowed to change its address.
  }
}
/** Scrolls to the element that the address names, after opening all folded parts around it. */
function goToPlace() {
  const target = document.getElementById(place);
  if (target === null) return;
  for (let one = target; one !== null; one = one.parentElement) if (one.localName === 'details') one.open = true;
  if (target.localName === 'section') for (const one of all(target, ':scope > details')) one.open = true;
  target.scrollIntoView();
}
function changed() {
  showFilter();
  applyFilter();
  writeAddress();
}
addEventListener('hashchange', () => {
  // A link within the page names only an element and no filter, so the current filter stays.
  if (location.hash.includes('=')) readAddress();
  else place = decodeURIComponent(location.hash.slice(1));
  changed();
  goToPlace();
});
`;
