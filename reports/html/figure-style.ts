import { fonts, ink, palette } from '../theme.ts';

/** Colours for dark mode, used by the page, its charts and the elements that scripts add. */
const dark = {
  paper: '#15171a',
  text: '#e8e6e3',
  soft: '#b0aeaa',
  line: '#3c4046',
  grid: '#2d3136',
  rule: '#7f858c',
};

/** Pairs of colours: a colour in charts that is hard to see on a dark page, and its replacement in dark mode. */
export const darkModeColours: readonly (readonly [from: string, to: string])[] = [
  [palette.blue, '#4d8ff5'],
  [palette.black, '#f0f0f0'],
  [palette.vermillion, '#f08344'],
  [palette.green, '#2dbf95'],
  [palette.indigo, '#b07aff'],
  [ink.text, dark.text],
  [ink.soft, dark.soft],
  [ink.grid, dark.grid],
  [ink.rule, dark.rule],
  [ink.paper, dark.paper],
];

/** Style rules that replace the colours of charts in dark mode. */
export const darkFigures = darkModeColours
  .flatMap(([from, to]) =>
    ['fill', 'stroke'].map((name) => `  figure svg [${name}="${from}" i] { ${name}: ${to}; }`),
  )
  .join('\n');

/** Style rules that replace the colours of the background bands in system load charts in dark mode. */
const shaded = [
  ['#e9e9e6', '#22252a'],
  ['#d6d6d1', '#2b2f35'],
  ['#f3c08a', '#6b4416'],
]
  .map(([from, to]) => `  figure svg [fill="${from}" i] { fill: ${to}; }`)
  .join('\n');

export const figureStyle = `
figure { margin: 1.6rem 0 2.2rem; }
section svg { max-width: 100%; height: auto; }
figure svg { display: block; max-width: 100%; height: auto; }
figure svg:focus-visible { outline: 2px solid var(--link); outline-offset: 4px; }
.ring { fill: none; stroke: var(--text); stroke-width: 1.5; pointer-events: none; }
.save { font: 13px/1.6 ${fonts}; color: var(--soft); margin: .35rem 0; }
.save button, #filters button { font: inherit; color: var(--link); background: none; border: 1px solid var(--line); border-radius: 3px; padding: .05rem .5rem; margin-right: .35rem; cursor: pointer; }
.save a { margin-left: .4rem; }
#filters { position: sticky; top: 0; z-index: 2; background: var(--paper, ${ink.paper}); display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; align-items: baseline; font: 13px/1.9 ${fonts}; padding: .3rem 0; border-bottom: 1px solid var(--line); max-height: 40vh; overflow-y: auto; }
#filters fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0 .7em; align-items: baseline; min-width: 0; }
#filters legend { float: left; padding: 0 .2em 0 0; color: var(--soft); }
#filters label { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 22em; }
#filters input { margin: 0 .3em 0 0; vertical-align: -1px; }
#filters select { font: inherit; line-height: 1.3; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 3px; }
#filters option { color: #1b1b1b; }
#filters output { color: var(--soft); }
section, figure { scroll-margin-top: 3.5rem; }
#tip { position: absolute; z-index: 3; pointer-events: none; background: #1b1b1b; color: #fff; font: 13px/1.45 ${fonts}; padding: .35rem .6rem .4rem; border-radius: 4px; max-width: min(24em, calc(100vw - 16px)); box-shadow: 0 1px 6px #0006; }
#tip[hidden] { display: none; }
#tip .faint { color: #c4c4c4; font-size: 12px; }
#tip .strip { display: block; margin: .3rem 0 .1rem; max-width: 100%; }
.strip .bin { fill: #8fb9d6; }
.strip .span { fill: #ffffff; opacity: .25; }
.strip .median { fill: ${palette.orange}; }
svg .gone { opacity: .4; }
@media screen { .off { display: none !important; } }
@media (max-width: 760px), (max-height: 500px) { #filters { position: static; max-height: none; } }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --paper: ${dark.paper}; --text: ${dark.text}; --soft: ${dark.soft}; --line: ${dark.line}; --link: #6cb6ea; }
  body { background: var(--paper); }
  pre { background: #1f2226; }
  .stack tr, tr.first > td { border-top-color: ${dark.line}; }
  tr.bad > td { color: #ff9a6b; }
  #tip { background: #2b2f35; border: 1px solid ${dark.line}; }
  #filters option { color: ${dark.text}; background: ${dark.paper}; }
${darkFigures}
${shaded}
}
`;
