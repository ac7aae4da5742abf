import { fonts, palette } from '../theme.ts';

/**
 * Style of the first screen, and of tables whose texts are wrapped so that no column is cut. Colours come from the theme's palette
 * and from CSS variables: style.ts defines `--soft` and `--link`; `--rim` and `--paper` may be undefined and have a fallback here.
 */
export const openingStyle = `
.opening h1 { max-width: 30em; }
.standfirst { margin: 0 0 .8rem; max-width: 60em; }
.badges { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem .5rem; margin: 0 0 1rem; padding: 0; font: 600 13px/1.4 ${fonts}; }
.badges li { border: 1px solid var(--rim, #b9b9b9); border-left: 5px solid var(--rim, #b9b9b9); border-radius: 3px; padding: .12rem .55rem; }
.badges a { color: inherit; text-decoration: none; }
.badges a:hover { text-decoration: underline; }
.badges .is-good { --rim: ${palette.green}; }
.badges .is-warn { --rim: ${palette.orange}; border-style: dashed; border-left-style: solid; }
.badges .is-bad { --rim: ${palette.vermillion}; border-width: 2px; border-left-width: 6px; }
.words { min-width: 0; }
.words .scroll { margin: 0 0 1rem; }
.words th, .words td { white-space: normal; padding-left: .8em; }
.words th:first-child, .words td:first-child { padding-left: 0; }
.words .n { white-space: nowrap; }
.words th.n { white-space: normal; }
.words .more { font: 14px/1.5 ${fonts}; margin: -.4rem 0 1rem; }
.words caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.verdict { font-weight: 600; border-left: 4px solid var(--rim, #b9b9b9); padding-left: .45em; }
.verdict.is-good { --rim: ${palette.green}; }
.verdict.is-warn { --rim: ${palette.orange}; }
.verdict.is-bad { --rim: ${palette.vermillion}; }
.answers { margin: 0; font: 14.5px/1.45 ${fonts}; }
.answers dt { color: var(--soft); margin: 0 0 .05rem; font-size: 13px; }
.answers dt a { color: inherit; }
.answers dd { margin: 0 0 .6rem; overflow-wrap: anywhere; }
.hero figure { margin: 0; }
h3 { scroll-margin-top: 1rem; }
:target > h2, :target > h3 { background: color-mix(in srgb, ${palette.sky} 22%, transparent); }
.scroll { background:
    linear-gradient(to right, var(--paper, #fff) 24px, transparent) left / 24px 100% no-repeat local,
    linear-gradient(to left, var(--paper, #fff) 24px, transparent) right / 24px 100% no-repeat local,
    linear-gradient(to right, rgb(128 128 128 / .45), transparent) left 1px top / 10px 100% no-repeat scroll,
    linear-gradient(to left, rgb(128 128 128 / .45), transparent) right 1px top / 10px 100% no-repeat scroll; }
.scroll:focus-visible, a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
td.s { white-space: normal; min-width: 13em; }
@media (min-width: 1160px) {
  .broad { margin-inline: calc((720px - min(1340px, 100vw - 80px)) / 2); display: flex; justify-content: center; }
  .broad > .scroll { max-width: 100%; min-width: 0; }
  .broad table { width: auto; min-width: 720px; }
  .broad caption { max-width: 760px; }
  .opening { margin-inline: calc((720px - min(1340px, 100vw - 80px)) / 2); }
  .glance { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1.12fr); gap: 0 2.4rem; align-items: start; }
  main { padding-top: 1.7rem; }
  .opening h1 { max-width: none; margin-bottom: .15rem; }
  .opening .byline { margin-bottom: .5rem; }
  .standfirst { font-size: 1rem; max-width: none; }
}
@media (max-width: 760px) {
  .words table { font-size: 12px; }
  .words .n { white-space: normal; }
  .words th, .words td { padding-left: .5em; }
  .answers { font-size: 15px; }
}
@media print {
  .broad { margin-inline: 0; display: block; }
  .broad table { width: 100%; min-width: 0; }
  .opening { margin-inline: 0; }
  .glance { display: block; }
  .scroll { background: none; overflow: visible; }
  table { table-layout: auto; font-size: 7pt; }
  th, td { white-space: normal; padding-left: .5em; overflow-wrap: break-word; hyphens: auto; }
  td.w, td.s { min-width: 0; }
  .answers { font-size: 9.5pt; }
  .badges { font-size: 8.5pt; }
}
`;
