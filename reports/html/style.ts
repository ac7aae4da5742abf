import { fonts, ink, palette } from '../theme.ts';
import { figureStyle } from './figure-style.ts';
import { openingStyle } from './style-first-screen.ts';

/** The only style sheet of a report page; the Content-Security-Policy allows only this text, by its hash. */
export const style = `
:root { color-scheme: light; --text: ${ink.text}; --soft: ${ink.soft}; --line: #d9d9d9; --link: ${palette.blue}; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: ${ink.paper}; color: var(--text);
  font: 17px/1.55 Charter, "Bitstream Charter", "Iowan Old Style", "Source Serif 4", Georgia, "Liberation Serif", "Times New Roman", serif; }
main { max-width: 760px; margin: 0 auto; padding: 3rem 20px 5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; text-wrap: balance; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 3.2rem 0 .6rem; padding-top: .9rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin: 1.8rem 0 .3rem; }
h1, h2, h3, p, ul, ol { overflow-wrap: break-word; }
p, ul, ol { margin: .6rem 0; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
.byline { color: var(--soft); margin: 0 0 1.4rem; font-size: .95rem; }
.lead p { margin: .5rem 0; }
.contents { font: 14px/1.7 ${fonts}; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); padding: .5rem 0; margin: 1.2rem 0; }
.contents a { margin-right: 1.1em; white-space: nowrap; }
.warn { border-left: 4px solid ${palette.vermillion}; padding: .1rem 0 .1rem .9rem; margin: 1rem 0; }
.emu { font-weight: 600; }
figcaption { font: 14px/1.5 ${fonts}; color: var(--soft); margin-top: .5rem; }
figcaption b, caption b { color: var(--text); font-weight: 600; }
.narrow { display: none; }
details { font: 14px/1.5 ${fonts}; margin: .4rem 0; }
summary { cursor: pointer; color: var(--link); width: fit-content; }
.scroll { overflow-x: auto; margin: 1.2rem 0; }
table { border-collapse: collapse; font: 13px/1.45 ${fonts}; font-variant-numeric: tabular-nums; width: 100%; border-top: 1.5px solid var(--text); border-bottom: 1.5px solid var(--text); }
caption { position: sticky; left: 0; max-width: min(100%, 720px, calc(100vw - 40px)); text-align: left; font: 14px/1.5 ${fonts}; color: var(--soft); padding: 0 0 .5rem; }
th { font-weight: 600; text-align: left; vertical-align: bottom; border-bottom: 1px solid var(--text); }
th, td { padding: .18rem 0 .18rem 1em; white-space: nowrap; vertical-align: top; }
th { white-space: normal; }
th:first-child, td:first-child { padding-left: 0; }
.n { text-align: right; }
td.w { white-space: normal; min-width: 11em; }
td.n.w { min-width: 0; }
.stack td:first-child { white-space: normal; min-width: 15em; max-width: 22em; }
tr.first > td { border-top: 1px solid #ececec; }
tr.bad > td { color: #a32c00; }
code, pre { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f5f5f3; padding: .7rem .9rem; margin: .8rem 0; }
dl.facts { display: grid; grid-template-columns: minmax(9em, max-content) 1fr; gap: .15rem 1.2rem; font: 14px/1.5 ${fonts}; margin: .8rem 0; }
dl.facts dt { color: var(--soft); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 760px) {
  body { font-size: 16px; }
  main { padding-top: 1.6rem; }
  h1 { font-size: 1.5rem; }
  td.w:not(.n) { min-width: 7em; }
  .wide { display: none !important; }
  .narrow { display: block !important; }
  dl.facts { grid-template-columns: 1fr; gap: 0; }
  dl.facts dd { margin-bottom: .5rem; }
  .stack thead { display: none; }
  .stack tr { display: block; padding: .35rem 0; border-top: 1px solid #ececec; }
  .stack td { display: block; padding: 0; white-space: normal; }
  .stack td:first-child { font-weight: 600; max-width: none; }
}
@media print {
  @page { margin: 18mm 16mm; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  .broad { margin-inline: 0; }
  .wide { display: block !important; }
  .narrow, .contents, .screen, #tip { display: none !important; }
  h2, h3 { break-after: avoid; }
  figure, tr, .scroll:not(:has(tr:nth-child(16))) { break-inside: avoid; }
  caption, thead { break-after: avoid; }
  .scroll { overflow: visible; }
  table { font-size: 7.6pt; }
  caption, figcaption, dl.facts { font-size: 9pt; }
  thead { display: table-header-group; }
  tbody tr:nth-child(-n+4) { break-before: avoid; }
  th, td { padding-left: .8em; }
  table:has(th:nth-child(13)) { font-size: 5.6pt; }
  table:has(th:nth-child(13)) :is(th, td) { padding-left: .4em; overflow-wrap: anywhere; white-space: normal; }
  details::details-content { content-visibility: visible; display: block; }
  summary { display: none; }
  a { color: inherit; text-decoration: none; }
}
${figureStyle}${openingStyle}`;
