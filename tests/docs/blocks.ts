import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../e2e/harness.ts';

/** A fenced block of a page. */
export interface CodeBlock {
  language: string;
  /** File name in a first line such as "# /etc/x.service"; empty if there is none. */
  file: string;
  text: string;
}

/** All fenced blocks of docs/NAME. */
export async function blocksOf(name: string): Promise<CodeBlock[]> {
  const page = await readFile(path.join(root, 'docs', name), 'utf8');
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
    file: /^# (\S*[/.]\S+)\n/.exec(text)?.[1] ?? '',
  }));
}
