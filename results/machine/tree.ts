import type { MachineFacts } from '../schema/index.ts';

/**
 * Content of files of /proc, /sys and similar folders that the agent on a host read. No method throws. For a file that does not
 * exist or that the agent did not read, text(), number() and link() return null, has() returns false.
 */
export class FileTree {
  private readonly files: MachineFacts['files'];
  private readonly paths: readonly string[];

  constructor(files: MachineFacts['files']) {
    this.files = files;
    this.paths = [...Object.keys(files.text), ...Object.keys(files.links)];
  }

  /** Returns the content of a file without line breaks at its end; "" for an empty file, null for a missing one. */
  text(path: string): string | null {
    const text = Object.hasOwn(this.files.text, path) ? this.files.text[path] : undefined;
    return text === undefined ? null : text.replace(/\n+$/, '');
  }

  /**
   * Returns the content of a file as a whole number, which may be negative; null if the file is missing or contains anything else.
   */
  number(path: string): number | null {
    return wholeNumber(this.text(path));
  }

  /** Returns the target of a link; null if there is no such link, or if its target does not exist. */
  link(path: string): string | null {
    const target = Object.hasOwn(this.files.links, path) ? this.files.links[path] : undefined;
    return target === undefined || target === '' ? null : target;
  }

  /** True if the agent read a file or link with this path, or one below a folder with this path. */
  has(path: string): boolean {
    return this.paths.some((known) => known === path || known.startsWith(`${path}/`));
  }

  /**
   * Returns path and content of all files that the agent read in a folder and in the folders inside it; links are left out. Empty
   * if there are none. Line breaks at the end of the content are kept.
   */
  below(folder: string): [path: string, text: string][] {
    return Object.entries(this.files.text).filter(([path]) => path.startsWith(`${folder}/`));
  }

  /**
   * Returns the names, without path, of files, links and folders directly in a folder. Only those are known that the agent read,
   * or in which it read something. They are in natural order: eth2 before eth10. Empty if there are none.
   */
  names(folder: string): string[] {
    const start = `${folder}/`;
    const names = this.paths
      .filter((path) => path.startsWith(start))
      .map((path) => path.slice(start.length).split('/')[0] as string);
    return [...new Set(names)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  }
}

/**
 * Parses a whole number such as "42" or "-1", also with blanks around it; null for a missing text, any other text, and beyond
 * 2^53.
 */
export function wholeNumber(text: string | null | undefined): number | null {
  const trimmed = text?.trim() ?? '';
  if (!/^-?\d{1,19}$/.test(trimmed)) return null;
  const value = Number(trimmed);
  return Number.isSafeInteger(value) ? value : null;
}

/** Returns the last part of a path; the whole text if it has no slash. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Returns how many numbers a kernel list such as "0-3,8" contains (here 5); null if the text is missing, empty, or no such list.
 */
export function countOfList(text: string | null): number | null {
  if (text === null || text.trim() === '') return null;
  let count = 0;
  for (const part of text.trim().split(',')) {
    const [, first, last] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? [];
    if (first === undefined) return null;
    const size = Number(last ?? first) - Number(first) + 1;
    if (size < 1) return null;
    count += size;
  }
  return count;
}

/**
 * Returns a field of /proc/meminfo, such as "MemTotal", in bytes (the file has KiB); null if the text is missing or has no such
 * field.
 */
export function meminfoBytes(text: string | null, field: string): number | null {
  const match = new RegExp(`^${field}:\\s+(\\d{1,15}) kB$`, 'm').exec(text ?? '');
  return match === null ? null : Number(match[1]) * 1024;
}
