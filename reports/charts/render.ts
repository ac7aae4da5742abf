// Half of all code of the command line. It is bundled apart (bin/bundle.mjs), so that commands without figures do not load it:
// import it when something is to be drawn.
import type { Spec } from 'vega';
import type { TopLevelSpec } from 'vega-lite';
import { escapeMarkup } from '../../results/markup-text.ts';
import type { ChartSize } from '../theme.ts';
import { switchForms } from './form-switch.ts';
import { compileBothForms } from './one-spec.ts';
import type { ChartSpec } from './spec.ts';
import { compile as compileLite, parse, View } from './vega.ts';

export { textMetrics } from './vega.ts';

/** How a figure is named for screen readers. */
export interface FigureNames {
  title: string;
  description: string;
  /** Letters, digits and dashes; put before every id. */
  idPrefix: string;
}

const compile = (spec: ChartSpec): Spec => compileLite(spec as TopLevelSpec, { logger: quietLogger() }).spec;
const open = (spec: object): View =>
  new View(parse(spec as Spec), { renderer: 'none', logger: quietLogger() });

/**
 * A specification as an SVG that stands alone: named for screen readers, without inline styles (a strict
 * Content-Security-Policy forbids them) and with ids that are unique when several are put into one page.
 * @throws when Vega-Lite does not accept the specification
 */
export async function renderSvg(spec: ChartSpec, names: FigureNames): Promise<string> {
  return drawn(open(compile(spec)), async (view) => finish(await view.toSVG(), names));
}

/**
 * Both forms of a figure, each as `renderSvg` draws it. They mostly differ in sizes and ticks alone: then one view draws both,
 * which takes little longer than one of them.
 * @param names of each; the prefixes differ
 */
export async function renderBoth(
  spec: (size: ChartSize) => ChartSpec,
  names: Record<ChartSize, FigureNames>,
): Promise<Record<ChartSize, string>> {
  const [wide, narrow] = [spec('wide'), spec('narrow')];
  const both = compileBothForms(wide, narrow, compile) ?? switchForms(compile(wide), compile(narrow));
  if (both === null) {
    const alone = (of: ChartSpec, size: ChartSize) =>
      drawn(open(compile(of)), async (view) => finish(await view.toSVG(), names[size]));
    return { wide: await alone(wide, 'wide'), narrow: await alone(narrow, 'narrow') };
  }
  return drawn(open(both.spec), async (view) => {
    const first = finish(await view.toSVG(), names.wide);
    for (const [name, value] of both.narrowing.signals) view.signal(name, value);
    for (const [name, rows] of both.narrowing.data) view.data(name, rows);
    // Without it what a figure has around its plot would keep its place.
    const second = finish(await view.resize().toSVG(), names.narrow);
    return { wide: first, narrow: second };
  });
}

async function drawn<T>(view: View, draw: (view: View) => Promise<T>): Promise<T> {
  try {
    return await draw(view);
  } finally {
    view.finalize();
  }
}

function finish(svg: string, names: FigureNames): string {
  const { title, description, idPrefix } = names;
  const head = `<title id="${idPrefix}-t">${escapeMarkup(title)}</title><desc id="${idPrefix}-d">${escapeMarkup(description)}</desc>`;
  return (
    svg
      .replaceAll(/\s+style="([^"]*)"/g, (_all, style: string) => styleToAttributes(style))
      // The halo of a text lies behind its letters.
      .replaceAll(/<text\b(?=[^>]* stroke="#)/g, '<text paint-order="stroke"')
      .replaceAll(/\bid="([^"]+)"/g, `id="${idPrefix}-$1"`)
      .replaceAll(/url\(#([^)]+)\)/g, `url(#${idPrefix}-$1)`)
      .replace(/<svg\b([^>]*)>/, (_all, attributes: string) => {
        const kept = attributes.replaceAll(/\s+(role|aria-\w+|class)="[^"]*"/g, '');
        return `<svg${kept} role="img" aria-labelledby="${idPrefix}-t" aria-describedby="${idPrefix}-d">${head}`;
      })
  );
}

/** `pointer-events: none` and the like have attributes of the same name; what has none (mix-blend-mode) is dropped. */
function styleToAttributes(style: string): string {
  return style
    .split(';')
    .map((rule) => rule.split(':').map((part) => part.trim()))
    .filter(([name, value]) => name === 'pointer-events' && value !== undefined)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('');
}

type CompileOptions = NonNullable<Parameters<typeof import('vega-lite').compile>[1]>;

/** Vega writes warnings to the console by default; a report must not. */
function quietLogger(): NonNullable<CompileOptions['logger']> {
  return {
    level() {
      return this;
    },
    error(...args: unknown[]) {
      throw new Error(`vega: ${args.map(String).join(' ')}`);
    },
    warn() {
      return this;
    },
    info() {
      return this;
    },
    debug() {
      return this;
    },
  };
}
