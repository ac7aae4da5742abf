import type { TopologyReport } from '../schema/index.ts';
import { TopologyError } from './types.ts';

/** The table of `nvidia-smi topo -m`: how each pair of devices is connected, as reported by the driver. */
export type SmiMatrix = TopologyReport['matrices'][number]['matrix'];

const connectionWord = /^(NV\d{1,3}|PSB|PIX|PXB|PHB|NODE|SYS|SOC|C2C)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: nvidia-smi underlines the head of its table
const escapes = /\u001b\[[0-9;]*[A-Za-z]/g;
const maxDevices = 256;

/**
 * Splits a line of the table of `nvidia-smi topo -m` into its cells. Cells are separated by tabs, which terminals and editors may
 * have replaced by blanks. No cell contains a blank.
 */
const cellsIn = (line: string): string[] =>
  line.includes('\t') ? line.split('\t') : line.trim().split(/ +/);

const headLine = /^[ \t]*GPU0(?=[ \t])(?![ \t]+X\b)/;

/**
 * True if a text may contain the table of `nvidia-smi topo -m`: some line begins with GPU0, possibly after blanks, and is not the
 * row of GPU0 (which has an X next).
 */
export const looksLikeSmi = (text: string): boolean =>
  text
    .replaceAll(escapes, '')
    .split('\n')
    .some((line) => headLine.test(line));

/**
 * Parses the table of `nvidia-smi topo -m`.
 * @throws TopologyError if the text has no such table, or if the table contradicts itself
 */
export function smiMatrix(text: string): SmiMatrix {
  const lines = text.replaceAll(escapes, '').split(/\r?\n/);
  const headAt = lines.findIndex((line) => headLine.test(line));
  if (headAt < 0)
    throw new TopologyError('nvidia-smi topo -m: its first line, which names GPU0, is not there');
  // Titles after the devices contain blanks: "CPU Affinity", "NUMA Affinity", "GPU NUMA ID".
  const [head = ''] = (lines[headAt] as string).split(/(?:CPU|NUMA) Affinity|GPU NUMA ID/);
  const devices = head.trim().split(/\s+/);
  if (devices.length > maxDevices || new Set(devices).size < devices.length) {
    throw new TopologyError('nvidia-smi topo -m: its head names a device twice, or too many');
  }
  const rows = devices.map((name) => rowOf(name, lines.slice(headAt + 1)));
  const cells = rows.map((row, at) => cellsOf(row, at, devices));
  for (const [row, line] of cells.entries()) {
    for (const [column, joint] of line.entries()) {
      if (joint !== cells[column]?.[row]) {
        const pair = `${devices[row]} and ${devices[column]}`;
        throw new TopologyError(`nvidia-smi topo -m: ${pair} are joined in two ways, depending on the row`);
      }
    }
  }
  const legend = new Map(
    [...text.matchAll(/^\s*(NIC\d+): (\S+)\s*$/gm)].map(([, key, name]) => [key, name] as const),
  );
  const names = devices.map((name) => legend.get(name) ?? name);
  if (new Set(names).size < names.length) throw new TopologyError('nvidia-smi topo -m: a NIC is named twice');
  const behind = rows.map((row) => row.slice(1 + devices.length).map((word) => word.trim()));
  return {
    names,
    cells,
    cpus: behind.map(([cpus]) => (cpus !== undefined && /^\d[\d,-]*$/.test(cpus) ? cpus : null)),
    numaNodes: behind.map(([, node]) => (node !== undefined && /^\d{1,4}$/.test(node) ? Number(node) : null)),
  };
}

function rowOf(name: string, lines: readonly string[]): string[] {
  const found = lines.map(cellsIn).filter(([first]) => first?.trim() === name);
  const [row, second] = found;
  if (row === undefined || second !== undefined) {
    throw new TopologyError(`nvidia-smi topo -m: one row of ${name} is wanted, ${found.length} are there`);
  }
  return row;
}

function cellsOf(row: readonly string[], at: number, devices: readonly string[]): (string | null)[] {
  return devices.map((column, i) => {
    const word = row[1 + i]?.trim() ?? '';
    if (i === at && word === 'X') return null;
    if (i !== at && connectionWord.test(word)) return word;
    throw new TopologyError(
      `nvidia-smi topo -m: ${devices[at]} and ${column} are joined by '${word.slice(0, 20)}', which is no word of its legend`,
    );
  });
}
