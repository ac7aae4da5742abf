/** Formats numbers as ranges: [0,1,2,4] as "0-2, 4". */
export function ranges(members: readonly number[]): string {
  const sorted = [...members].sort((a, b) => a - b);
  const parts: [number, number][] = [];
  for (const member of sorted) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] === member - 1) last[1] = member;
    else parts.push([member, member]);
  }
  return parts.map(([low, high]) => (low === high ? `${low}` : `${low}-${high}`)).join(', ');
}
