import type { TopLevelSpec } from 'vega-lite';
import { escapeHtml } from '../html/markup.ts';
import type { ChartSpec } from './spec.ts';

/**
 * A specification as an SVG that stands alone: named for screen readers, without inline styles (a strict
 * Content-Security-Policy forbids them) and with ids that are unique when several are put into one page.
 * Vega is loaded on the first call, because a run without a report should not wait for it.
 * @param idPrefix letters, digits and dashes; put before every id
 * @throws when Vega-Lite does not accept the specification
 */
export async function renderSvg(
  spec: ChartSpec,
  names: { title: string; description: string; idPrefix: string },
): Promise<string> {
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  const logger = quietLogger();
  const compiled = vegaLite.compile(spec as TopLevelSpec, { logger }).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: 'none', logger });
  try {
    const svg = await view.toSVG();
    return finish(svg, names);
  } finally {
    view.finalize();
  }
}

function finish(svg: string, names: { title: string; description: string; idPrefix: string }): string {
  const { title, description, idPrefix } = names;
  const head = `<title id="${idPrefix}-t">${escapeHtml(title)}</title><desc id="${idPrefix}-d">${escapeHtml(description)}</desc>`;
  return svg
    .replaceAll(/\s+style="([^"]*)"/g, (_all, style: string) => styleToAttributes(style))
    .replaceAll(/\bid="([^"]+)"/g, `id="${idPrefix}-$1"`)
    .replaceAll(/url\(#([^)]+)\)/g, `url(#${idPrefix}-$1)`)
    .replace(/<svg\b([^>]*)>/, (_all, attributes: string) => {
      const kept = attributes.replaceAll(/\s+(role|aria-\w+|class)="[^"]*"/g, '');
      return `<svg${kept} role="img" aria-labelledby="${idPrefix}-t" aria-describedby="${idPrefix}-d">${head}`;
    });
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
