import { darkFigures } from '../html/figure-style.ts';
import { fonts } from '../theme.ts';

/**
 * Style for a grid whose rows take several lines: title, values, then as many nights per line as fit.
 * @param grid CSS selector of the grid
 */
const stacked = (grid: string): string => `
  ${grid}, ${grid} tbody, ${grid} caption { display: block; }
  ${grid} thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  ${grid} tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(1.4rem, 1fr)); padding: .5rem 0; border-bottom: 1px solid var(--line); }
  ${grid} th, ${grid} td { border: 0; }
  ${grid} tbody th { grid-column: 1 / -1; padding: 0; }
  ${grid} td.f { grid-column: span 4; padding: 0; }
  ${grid} td.f.a { grid-column: span 2; }
  ${grid} td.f.b { grid-column: span 5; }
  ${grid} td.f.z { grid-column: 1 / -1; }
  ${grid} td.f::before { content: attr(data-head) ' '; color: var(--soft); }
  ${grid} td.f:empty { display: none; }
  ${grid} td.c { padding: 0; min-width: 0; }
  ${grid} .day { display: block; font-size: 10px; color: var(--soft); font-weight: 400; }`;

/**
 * The only style sheet of the site; the Content-Security-Policy allows only this text, by its hash. Texts have a contrast of at
 * least 4.5:1, in light and dark mode.
 */
export const style = `
:root { color-scheme: light dark; --paper: #ffffff; --text: #1b1b1b; --soft: #555555; --line: #d9d9d9; --link: #005a9c;
  --slower: #b34700; --faster: #00609c; --on: #ffffff; --quiet: #f1f1ee; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15171a; --text: #e9e9e6; --soft: #aeb2b6; --line: #3a3e43; --link: #7cc4f2;
    --slower: #ff9d66; --faster: #7cc4f2; --on: #15171a; --quiet: #24272b; }
}
@media screen and (prefers-color-scheme: dark) {
${darkFigures}
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--text); font: 15px/1.5 ${fonts}; }
main { max-width: 1360px; margin: 0 auto; padding: 2rem 20px 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
p, ul { margin: .5rem 0; overflow-wrap: anywhere; max-width: 60rem; }
ul.changes { list-style: none; padding: 0; }
ul.changes > li { margin: .6rem 0; padding: .1rem 0 .1rem .9rem; border-left: 4px solid var(--line); }
ul.changes > li.slower, ul.changes > li.failed, ul.changes > li.unconfirmed { border-color: var(--slower); }
ul.changes > li.faster { border-color: var(--faster); }
a { color: var(--link); text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.soft { color: var(--soft); }
.warn { padding: .1rem 0 .1rem .9rem; border-left: 4px solid var(--slower); }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; list-style: none; color: var(--soft); max-width: none; }
.vh { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; line-height: 1.35; }
caption { text-align: left; color: var(--soft); padding: 0 0 .5rem; }
th, td { padding: .2rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
td.n, th.n { text-align: right; white-space: nowrap; }
.scroll { overflow-x: auto; }
.grid { width: 100%; }
.grid thead th { vertical-align: bottom; }
.grid td.f, .s { white-space: nowrap; }
.grid th.c, .grid td.c { text-align: center; padding: .2rem 0; min-width: 1.45rem; font-weight: 400; }
.grid td.c a { display: block; color: inherit; text-decoration: none; font-weight: 700; }
.grid thead th.c { color: var(--soft); font-size: 11px; }
.s { display: inline-block; min-width: 1.35rem; padding: 0 .2rem; text-align: center; border-radius: 3px; }
.s.slower, .s.failed { background: var(--slower); color: var(--on); font-weight: 700; }
.s.faster { background: var(--faster); color: var(--on); font-weight: 700; }
.s.unconfirmed { box-shadow: inset 0 0 0 2px var(--slower); color: var(--text); font-weight: 700; }
.s.no-verdict { background: var(--quiet); color: var(--text); }
.s.same { color: var(--text); }
.s.flagged { box-shadow: inset 0 0 0 1.5px var(--soft); color: var(--text); }
.s.none { color: var(--soft); }
figure { margin: .8rem 0 1rem; }
svg { display: block; max-width: 100%; height: auto; }
/* Times are wider than days. */
.grid.times th.c { min-width: 2rem; }
.narrow { display: none; }
.day { display: none; }
${stacked('.grid.long')}
@media (max-width: 1300px) {
${stacked('.grid')}
}
.grid.times tr { grid-template-columns: repeat(auto-fill, minmax(2rem, 1fr)); }
@media (max-width: 700px) {
  main { padding: 1.2rem 14px 3rem; }
  .wide { display: none; }
  .narrow { display: block; }
}
@media print {
  :root { color-scheme: light; --paper: #ffffff; --text: #1b1b1b; --soft: #555555; --line: #d9d9d9; --link: #1b1b1b; --slower: #b34700; --faster: #00609c; --on: #ffffff; --quiet: #f1f1ee; }
  * { print-color-adjust: exact; }
  table, svg { break-inside: avoid; }
}
`;
