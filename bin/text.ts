/** Breaks text at spaces so that no line is longer than `width`, unless one word is. Leading spaces indent all lines. */
export function wrap(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/\s+/)) {
    const next = line === '' ? indent + word : `${line} ${word}`;
    if (next.length > width && line !== '') {
      lines.push(line);
      line = indent + word;
    } else {
      line = next;
    }
  }
  return [...lines, line];
}

/** What a terminal would take for a command: all control characters but line break and tab. */
const controls = /(?![\n\t])\p{Cc}/gu;

/** Text of other machines, safe to print: what they say stays, what they would do to the terminal shows as a dot. */
export const harmless = (text: string): string => text.replaceAll(controls, '·');
