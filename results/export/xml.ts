import { escapeXml } from '../markup-text.ts';

/** Attributes in order, those without a value left out: ` name="a" time="0.5"`. */
export function attributes(values: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === null ? '' : ` ${name}="${escapeXml(String(value))}"`))
    .join('');
}
