// Text of generated C++ files.

/** A generated C++ file, not written yet: its path from the root of the project, and its text before clang-format. */
export interface GeneratedFile {
  file: string;
  text: string;
}

interface HeaderParts {
  file: string;
  /** TypeScript file that the declarations come from, as a path from the root of the project. */
  source: string;
  includes: readonly string[];
  namespace: string;
  body: string;
}

/**
 * Returns the first line of a generated file, with its newline.
 * @param source TypeScript file that the generated file comes from
 */
export const mark = (source: string): string =>
  `// Generated from ${source} by orchestration/contract/generate.ts. Do not edit.\n`;

/**
 * Returns a C++ header with the declarations in `body`, inside `namespace`. `includes` are written as they are, with their quotes
 * or angle brackets.
 */
export function header({ file, source, includes, namespace, body }: HeaderParts): GeneratedFile {
  return {
    file,
    text: `${mark(source)}#pragma once\n${includes.map((one) => `#include ${one}\n`).join('')}
namespace ${namespace} {\n\n${body}\n}  // namespace ${namespace}\n`,
  };
}

/** Returns a C++ initializer list of string literals, with its braces: {"sum", "max"}. */
export const texts = (values: readonly string[]): string =>
  `{${values.map((value) => JSON.stringify(value)).join(', ')}}`;

/** Returns a name of TypeScript in the spelling of C++ members: "nvlinkMBps" becomes "nvlink_mbps". */
export const snake = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();

/** Returns a name in the spelling of C++ constants: "rank-died" becomes "kRankDied". Words of the name are separated by - or _. */
export const constantName = (name: string): string =>
  `k${name
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;

/** Number of characters at which lines of generated comments are broken, before clang-format. */
const maxColumns = 108;

/** Returns a text as lines of a C++ documentation comment (`///`), each with a newline; "" for undefined. */
export function comment(text: string | undefined): string {
  if (text === undefined) return '';
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > maxColumns) lines.push(`/// ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return `${lines.join('\n')}\n`;
}

/** Returns a whole number from 0 on as C++ literal: 1000000 becomes 1'000'000. */
export const groupDigits = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, "'");
