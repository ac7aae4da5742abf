import { escapeXml } from '../markup-text.ts';

/** Returns the attributes as XML text, in order: ` name="a" time="0.5"`. Attributes whose value is null are left out. */
export function attributes(values: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === null ? '' : ` ${name}="${escapeXml(String(value))}"`))
    .join('');
}
