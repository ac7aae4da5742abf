import type { TopLevelSpec } from 'vega-lite';

/**
 * A specification as an SVG that stands alone: named for screen readers, without inline styles (a strict
 * Content-Security-Policy forbids them) and with ids that are unique when several are put into one page.
 * Vega is loaded on the first call, because a run without a report should not wait for it.
 * @param idPrefix letters, digits and dashes; put before every id
 * @throws when Vega-Lite does not accept the specification
 */
export async function renderSvg(
  spec: TopLevelSpec,
  names: { title: string; description: string; idPrefix: string },
): Promise<string> {
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  const warnings: string[] = [];
  const compiled = vegaLite.compile(spec, { logger: quietLogger(warnings) as never }).spec;
  const view = new vega.View(vega.parse(compiled), {
    renderer: 'none',
    logger: quietLogger(warnings) as never,
  });
  try {
    const svg = await view.toSVG();
    return finish(svg, names);
  } finally {
    view.finalize();
  }
}

function finish(svg: string, names: { title: string; description: string; idPrefix: string }): string {
  const { title, description, idPrefix } = names;
  const head = `<title id="${idPrefix}-t">${escapeXml(title)}</title><desc id="${idPrefix}-d">${escapeXml(description)}</desc>`;
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

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Vega writes warnings to the console by default; a report must not. They are kept for tests. */
function quietLogger(warnings: string[]): object {
  const logger = {
    level: () => logger,
    error: (...args: unknown[]) => {
      throw new Error(`vega: ${args.map(String).join(' ')}`);
    },
    warn: (...args: unknown[]) => {
      warnings.push(args.map(String).join(' '));
      return logger;
    },
    info: () => logger,
    debug: () => logger,
  };
  return logger;
}
