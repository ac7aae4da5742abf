// Draws the table of a run as an SVG that looks like a terminal. The lines are those of a real run, without most sizes.
import { escapeXml } from '../../results/markup-text.ts';

export const terminalColumns = 62;

/** Sizes that the picture keeps. */
const shownSizes = ['8', '1K', '64K', '1M', '64M', '1G'];

const [characterPx, linePx, marginPx] = [7.23, 17, 14];

/** Selects the lines of the picture. @param text output of `collbench show`, in which a size has a row for each transport */
export function shortTable(text: string): string[] {
  const lines = text.trimEnd().split('\n');
  const first = lines.findIndex((line) => /^ *size +over/.test(line)) + 1;
  const end = lines.findIndex((line, i) => i > first && line === '');
  const kept: string[] = [];
  let isShown = true;
  for (const line of lines.slice(first, end)) {
    const size = /^ {0,3}(\d+[KMG]?) /.exec(line)?.[1];
    if (size !== undefined) {
      isShown = shownSizes.includes(size);
      if (!isShown && kept.at(-1) !== ' ...') kept.push(' ...');
    }
    if (isShown && /(hardware|EMULATED)/.test(line)) kept.push(line);
  }
  const verdicts = lines.filter((line) => /^(verified|typical interval)/.test(line));
  return [...lines.slice(0, 5), '', ...lines.slice(first - 1, first), ...kept, '', ...verdicts];
}

/** @param command text after the prompt */
export function terminalSvg(command: string, lines: readonly string[]): string {
  const all = [`$ ${command}`, ...lines];
  const width = Math.ceil(2 * marginPx + terminalColumns * characterPx);
  const height = Math.ceil(2 * marginPx + all.length * linePx);
  const rows = all.map((line, i) => {
    const y = marginPx + (i + 0.75) * linePx;
    const colour = /EMULATED/.test(line) ? ' fill="#e5c07b"' : i === 0 ? ' fill="#98c379"' : '';
    // Renderers use different monospace fonts. The length of each line is set, so that columns stay aligned.
    const length = line === '' ? '' : ` textLength="${(line.length * characterPx).toFixed(1)}"`;
    return `<text x="${marginPx}" y="${y.toFixed(1)}"${colour}${length} xml:space="preserve">${escapeXml(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="12" fill="#dcdfe4">`,
    `<title>${escapeXml(command)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#1e2127"/>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}
