import { escapeXml } from '../markup-text.ts';

/** XML attributes in order, without those whose value is null: ` name="a" time="0.5"`. */
export function attributes(values: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === null ? '' : ` ${name}="${escapeXml(String(value))}"`))
    .join('');
}
