// Rank map file: one line per rank, `rank -> host[:gpu][:cpus]`, as in `3 -> gpu01:3:24-31,88-95`.
import { visibleText } from './characters.ts';
import { HostsError, withPosition } from './error.ts';
import type { HostSpec } from './host.ts';

/** One line of a rank map file: host, GPU and CPUs of one rank. */
export interface RankLine {
  rank: number;
  /** Name of a host of the run. */
  host: string;
  /** Number of the rank's GPU on the host, from 0; null = not given. */
  gpu: number | null;
  /** CPUs that the rank is bound to, ascending; null = not given. */
  cpus: number[] | null;
}

const maxCpus = 65_536;

/**
 * Parses a list of CPUs such as "0-15,32"; returns them in ascending order, each once.
 * @param offset position of the text in what the user wrote, for errors
 * @throws HostsError if it is invalid, or a number is 65,536 or more
 */
function cpusOf(text: string, offset: number): number[] {
  const cpus = new Set<number>();
  for (const item of text.split(',')) {
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(item) ?? [];
    if (first === undefined || Number(last) < Number(first) || Number(last) >= maxCpus) {
      throw new HostsError(`${visibleText(text)} is no list of CPUs, such as 0-15,32-47`, offset);
    }
    for (let cpu = Number(first); cpu <= Number(last); cpu++) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}

/**
 * Returns the name of the host with which the text "host[:gpu][:cpus]" begins. If two names match, such as `h` and `h:2222`, the
 * longer name counts.
 * @param offset position of the text in what the user wrote, for errors
 * @param names names of the hosts of the run
 * @throws HostsError if no name matches
 */
function hostOf(text: string, names: readonly string[], offset: number): string {
  const [name] = names
    .filter((one) => text === one || text.startsWith(`${one}:`))
    .sort((a, b) => b.length - a.length);
  if (name !== undefined) return name;
  const few = names.length > 8 ? [...names.slice(0, 8), '...'] : names;
  throw new HostsError(`${visibleText(text)}: no such host; there are ${few.join(', ')}`, offset);
}

function readLine(line: string, names: readonly string[], offset: number): RankLine {
  const [, before, rank, place] = /^(\s*(\d{1,6})\s*->\s*)(\S+)$/.exec(line) ?? [];
  if (before === undefined || place === undefined) {
    throw new HostsError(
      `${visibleText(line.trim())} is no line of a rank map, such as "0 -> gpu01:0:0-15" (rank -> host:gpu:cpus)`,
      offset + line.length - line.trimStart().length,
    );
  }
  const start = offset + before.length;
  const host = hostOf(place, names, start);
  const [gpu = '', cpus = '', more] = place.slice(host.length + 1).split(':');
  const at = start + host.length + 1;
  if (more !== undefined) throw new HostsError(`${visibleText(place)} says more than host:gpu:cpus`, at);
  if (!/^\d{0,4}$/.test(gpu)) throw new HostsError(`${visibleText(gpu)} is no number of a GPU`, at);
  return {
    rank: Number(rank),
    host,
    gpu: gpu === '' ? null : Number(gpu),
    cpus: cpus === '' ? null : cpusOf(cpus, at + gpu.length + 1),
  };
}

/**
 * Returns the lines of a rank map file in ascending order of ranks. Each rank from 0 to n-1 must occur once, and no GPU of a host
 * twice. Hosts without a line are allowed. Text from # on is a comment.
 * @param text content of the file
 * @param file name of the file, for errors; it is not opened
 * @param hosts hosts of the run; other hosts are an error
 * @throws HostsError `file:line:column: what is wrong`
 */
export function parseRankMap(text: string, file: string, hosts: readonly HostSpec[]): RankLine[] {
  const names = hosts.map(({ name }) => name);
  const ranks = new Map<number, { line: RankLine; where: number }>();
  const gpus = new Map<string, number>();
  return withPosition(file, text, () => {
    let offset = 0;
    let where = 0;
    for (const raw of text.split('\n')) {
      where++;
      const content = raw.replace(/#.*$/, '').trimEnd();
      if (content.trim() !== '') {
        const line = readLine(content, names, offset);
        const same = ranks.get(line.rank);
        if (same !== undefined) {
          throw new HostsError(`rank ${line.rank} is placed twice, first in line ${same.where}`, offset);
        }
        const gpu = `GPU ${line.gpu} of ${line.host}`;
        const owner = line.gpu === null ? undefined : gpus.get(gpu);
        if (owner !== undefined) throw new HostsError(`${gpu} is already used by rank ${owner}`, offset);
        if (line.gpu !== null) gpus.set(gpu, line.rank);
        ranks.set(line.rank, { line, where });
      }
      offset += raw.length + 1;
    }
    if (ranks.size === 0) throw new HostsError('it places no rank', 0);
    return Array.from({ length: ranks.size }, (_, rank) => {
      const found = ranks.get(rank);
      if (found !== undefined) return found.line;
      throw new HostsError(
        `rank ${rank} is missing: ${ranks.size} lines place ranks 0 to ${ranks.size - 1}`,
        0,
      );
    });
  });
}
