// This module and the libraries that it loads are half of all code of the command line. bin/bundle.mjs puts it into a bundle of its
// own, so that commands without charts do not load it. Import it only when a chart has to be drawn.
import type { Spec } from 'vega';
import type { TopLevelSpec } from 'vega-lite';
import { escapeMarkup } from '../../results/markup-text.ts';
import type { ChartSize } from '../theme.ts';
import { compileBothForms } from './one-spec.ts';
import type { ChartSpec } from './spec.ts';
import { compile as compileLite, parse, View } from './vega.ts';

export { textMetrics } from './vega.ts';

/** Title and description of a drawing for screen readers, and the prefix of the ids in its SVG. */
export interface FigureNames {
  title: string;
  description: string;
  /** Letters, digits and dashes that precede every id of the SVG. */
  idPrefix: string;
}

const compile = (spec: ChartSpec): Spec => compileLite(spec as TopLevelSpec, { logger: quietLogger() }).spec;
const open = (spec: object): View =>
  new View(parse(spec as Spec), { renderer: 'none', logger: quietLogger() });

/**
 * Renders a specification as a self-contained SVG with title and description for screen readers. The SVG has no inline styles,
 * because a strict Content-Security-Policy forbids them. Its ids start with `idPrefix`, so that several SVGs can be in one
 * page.
 * @throws Error if Vega-Lite does not accept the specification
 */
export async function renderSvg(spec: ChartSpec, names: FigureNames): Promise<string> {
  return drawn(open(compile(spec)), async (view) => finish(await view.toSVG(), names));
}

/**
 * Renders the wide and the narrow form of a chart, each as a self-contained SVG. If the forms differ only in sizes, ticks and the
 * like, one Vega view draws both, which takes little longer than drawing one; otherwise each form has its own view.
 * @param spec returns the specification of a form
 * @param names titles, descriptions and id prefixes of both forms; the prefixes must differ
 * @throws Error if Vega-Lite does not accept a specification
 */
export async function renderBoth(
  spec: (size: ChartSize) => ChartSpec,
  names: Record<ChartSize, FigureNames>,
): Promise<Record<ChartSize, string>> {
  const [wide, narrow] = [spec('wide'), spec('narrow')];
  const both = compileBothForms(wide, narrow, compile);
  if (both === null)
    return { wide: await renderSvg(wide, names.wide), narrow: await renderSvg(narrow, names.narrow) };
  return drawn(open(both.spec), async (view) => {
    const first = finish(await view.toSVG(), names.wide);
    for (const [name, value] of both.narrowing.signals) view.signal(name, value);
    for (const [name, rows] of both.narrowing.data) view.data(name, rows);
    // Without resize() the space around the plot would stay that of the wide form.
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
      // With `paint-order` the halo of a text is drawn behind its letters.
      .replaceAll(/<text\b(?=[^>]* stroke="#)/g, '<text paint-order="stroke"')
      .replaceAll(/\bid="([^"]+)"/g, `id="${idPrefix}-$1"`)
      .replaceAll(/url\(#([^)]+)\)/g, `url(#${idPrefix}-$1)`)
      .replace(/<svg\b([^>]*)>/, (_all, attributes: string) => {
        const kept = attributes.replaceAll(/\s+(role|aria-\w+|class)="[^"]*"/g, '');
        return `<svg${kept} role="img" aria-labelledby="${idPrefix}-t" aria-describedby="${idPrefix}-d">${head}`;
      })
  );
}

/**
 * Converts an inline style to attributes: keeps `pointer-events`, drops other styles (mix-blend-mode), which have no
 * attribute.
 */
function styleToAttributes(style: string): string {
  return style
    .split(';')
    .map((rule) => rule.split(':').map((part) => part.trim()))
    .filter(([name, value]) => name === 'pointer-events' && value !== undefined)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('');
}

type CompileOptions = NonNullable<Parameters<typeof import('vega-lite').compile>[1]>;

/** Returns a logger for Vega that drops warnings, which Vega would print to the console. Its `error` throws. */
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
