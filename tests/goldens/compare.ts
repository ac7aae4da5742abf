import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { GoldenKind } from './jobs.ts';

export interface GoldenOptions {
  kinds: readonly GoldenKind[];
  /** Text that the names of compared files contain; empty = all files. */
  only: string;
  /** Columns of CSV and keys of JSON that are not compared. */
  ignored: ReadonlySet<string>;
  /** Maximum number of differing lines to print for each file. */
  shown: number;
  print: (line: string) => void;
}

/** Prints the differences between two rendered folders. @returns number of files that differ or exist in one of them only */
export function compare(before: string, after: string, options: GoldenOptions): number {
  let differing = 0;
  for (const kind of options.kinds) {
    const [old, now] = [filesIn(path.join(before, kind)), filesIn(path.join(after, kind))];
    const all = [...new Set([...old, ...now])].filter((file) => file.includes(options.only)).sort();
    const both = all.filter((file) => old.has(file) && now.has(file));
    let equal = 0;
    for (const file of both) {
      const name = `${kind}/${file}`;
      const lines = differences(path.join(before, name), path.join(after, name), options);
      if (lines.length === 0) equal += 1;
      else options.print([name, ...lines.map((line) => `  ${line}`)].join('\n'));
    }
    for (const [side, there] of [
      ['first', old],
      ['second', now],
    ] as const) {
      const only = all.filter((file) => there.has(file) && !both.includes(file));
      if (only.length > 0)
        options.print(`${kind}: ${only.length} only in the ${side}: ${short(only, options.shown)}`);
    }
    differing += all.length - equal;
    options.print(`${kind}: ${equal} of ${all.length} files equal`);
  }
  return differing;
}

const short = (names: readonly string[], shown: number): string =>
  names.slice(0, shown).join(', ') + (names.length > shown ? ', ...' : '');

const filesIn = (folder: string): Set<string> =>
  new Set(
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      : [],
  );

function differences(before: string, after: string, { ignored, shown }: GoldenOptions): string[] {
  const old = readFileSync(before, 'utf8');
  const now = readFileSync(after, 'utf8');
  return old === now
    ? []
    : lineDifferences(linesOf(before, old, ignored), linesOf(after, now, ignored), shown);
}

function lineDifferences(old: readonly string[], now: readonly string[], shown: number): string[] {
  const found: string[] = [];
  let count = 0;
  for (let i = 0; i < Math.max(old.length, now.length); i += 1) {
    const [left, right] = [old[i], now[i]];
    if (left === right) continue;
    count += 1;
    if (count <= shown) found.push(...lineDifference(i + 1, left, right));
  }
  if (old.length !== now.length) found.unshift(`${old.length} lines, now ${now.length}`);
  if (count > shown) found.push(`and ${count - shown} more lines`);
  return found;
}

function linesOf(file: string, text: string, ignored: ReadonlySet<string>): string[] {
  const lines = text.split('\n');
  if (file.endsWith('.csv')) return withoutColumns(lines, ignored);
  return /\.(nd)?json$/.test(file) ? lines.flatMap((line) => spread(line, ignored)) : lines;
}

function withoutColumns(lines: readonly string[], ignored: ReadonlySet<string>): string[] {
  const fields = (line: string) => line.match(/(?<=^|,)(?:"(?:[^"]|"")*"|[^,"]*)(?=,|$)/g) ?? [];
  const kept = fields(lines[0] ?? '').map((name) => !ignored.has(name));
  return lines.map((line) =>
    fields(line)
      .filter((_, i) => kept[i] ?? true)
      .join(','),
  );
}

/** Turns a line of JSON into one line `PATH = VALUE` per value. Keys are sorted, so that their order makes no difference. */
function spread(line: string, ignored: ReadonlySet<string>): string[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [line];
  }
  const walk = (at: string, one: unknown): string[] =>
    typeof one !== 'object' || one === null || Object.keys(one).length === 0
      ? [`${at} = ${JSON.stringify(one)}`]
      : Object.entries(one)
          .filter(([key]) => !ignored.has(key))
          .sort(([x], [y]) => (Array.isArray(one) ? 0 : x < y ? -1 : 1))
          .flatMap(([key, inner]) => walk(`${at}.${key}`, inner));
  return walk('', value);
}

const number = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** Describes two different lines: the changed numbers if all else is equal, otherwise both lines. */
function lineDifference(at: number, left: string | undefined, right: string | undefined): string[] {
  if (left !== undefined && right !== undefined && left.replace(number, '#') === right.replace(number, '#')) {
    const [old, now] = [left.match(number) ?? [], right.match(number) ?? []];
    const changed = old.flatMap((one, i) => (one === now[i] ? [] : [numbers(one, now[i] ?? '')]));
    return [`line ${at}: ${changed.slice(0, 4).join(', ')} in: ${cut(right)}`];
  }
  return [`line ${at}: - ${cut(left)}`, `${' '.repeat(`line ${at}: `.length)}+ ${cut(right)}`];
}

function numbers(old: string, now: string): string {
  const share = (Number(now) / Number(old) - 1) * 100;
  return `${old} -> ${now}${Number.isFinite(share) ? ` (${share.toPrecision(3)} %)` : ''}`;
}

const cut = (line: string | undefined): string =>
  line === undefined ? '(no line)' : line.length > 160 ? `${line.slice(0, 159)}…` : line;
