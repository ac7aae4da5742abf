// Parser for files that list hosts: Open MPI (`host slots=8 max_slots=16`), MPICH (`host:8`), Slurm (`gpu[01-03,07]`), collbench
// (`user@host:port slots=8 iface=eth1`). Each line has a host list, followed by settings.
import { visibleText } from './characters.ts';
import { HostsError, withPosition } from './error.ts';
import type { HostSpec } from './host.ts';
import { type HostPosition, mergeHosts } from './merge.ts';
import { readHosts } from './parse.ts';
import { setByKey } from './settings.ts';

interface HostfileWord {
  text: string;
  offset: number;
}

/** Names of host settings in hostfiles of other programs, mapped to the names that collbench uses. */
const synonyms: Record<string, string> = {
  username: 'user',
  ifname: 'iface',
  interface: 'iface',
  'max-slots': 'max_slots',
};

/**
 * Returns the words of a hostfile line, without the comment, which begins with # at the start of the line or after a space. Spaces
 * around "=" are dropped, so that a setting is one word. Empty for an empty line.
 * @param offset position of the line in the file
 */
function wordsOf(line: string, offset: number): HostfileWord[] {
  const content = /^(?:#.*|(.*?)(?:\s#.*)?)$/.exec(line)?.[1] ?? '';
  return [...content.matchAll(/[^\s=]+(?:\s*=\s*[^\s]*)?|=\S*/g)].map((match) => ({
    text: match[0].replace(/\s*=\s*/, '='),
    offset: offset + match.index,
  }));
}

/**
 * Applies the settings of a hostfile line to each of the line's hosts, in place. Names of settings are case-insensitive.
 * `max_slots` limits the slots, wherever it stands in the line; of several the last counts.
 * @throws HostsError if a setting is invalid, or a word is no setting
 */
function applySettings(hosts: readonly HostPosition[], words: readonly HostfileWord[]): void {
  let most: HostfileWord | null = null;
  for (const word of words) {
    const equals = word.text.indexOf('=');
    if (equals < 0) {
      throw new HostsError(
        `${visibleText(word.text)}: only settings such as slots=8 may follow a host; write one host per line`,
        word.offset,
      );
    }
    const typed = word.text.slice(0, equals).toLowerCase();
    const key = synonyms[typed] ?? typed;
    const value = word.text.slice(equals + 1);
    if (key === 'max_slots') most = { text: value, offset: word.offset };
    else for (const { spec } of hosts) setByKey(spec, key, value, word.offset);
  }
  if (most === null) return;
  for (const { spec } of hosts) limitSlots(spec, most);
}

/**
 * Applies max_slots of a hostfile to a host, in place. If the host has no number of slots, it gets this one. Otherwise its number
 * stays, because ranks never exceed slots.
 * @param spec host whose slots are limited
 * @param most value of max_slots, with its position
 * @throws HostsError if slots is more than max_slots, or max_slots is no number from 1 to 65,536
 */
function limitSlots(spec: HostSpec, most: HostfileWord): void {
  const { slots } = spec;
  spec.slots = null;
  setByKey(spec, 'slots', most.text, most.offset);
  if (slots === null) return;
  if (slots > (spec.slots as unknown as number)) {
    throw new HostsError(`slots=${slots} is more than max_slots=${most.text}`, most.offset);
  }
  spec.slots = slots;
}

/**
 * Counts each line of a hostfile as one slot, if no line gives slots and some host is repeated. Open MPI, MPICH and PBS write such
 * files with this meaning. Otherwise nothing changes.
 * @param found hosts of all lines; they get the slots, in place
 */
function countLines(found: readonly HostPosition[]): void {
  if (found.some(({ spec }) => spec.slots !== null)) return;
  const keys = found.map(({ spec }) => `${spec.address.toLowerCase()} ${spec.port}`);
  if (new Set(keys).size === keys.length) return;
  for (const { spec } of found) spec.slots = 1;
}

/**
 * Returns the hosts of a hostfile, in the order of the file. A host that is named several times becomes one (mergeHosts()).
 * @param text content of the file
 * @param file name of the file, for errors; it is not opened
 * @throws HostsError `file:line:column: what is wrong`; also if the file names no host
 */
export function parseHostfile(text: string, file: string): HostSpec[] {
  return withPosition(file, text, () => {
    const found: HostPosition[] = [];
    // A byte order mark does not belong to the first host's name.
    let offset = text.startsWith('\uFEFF') ? 1 : 0;
    for (const line of text.slice(offset).split('\n')) {
      const [hosts, ...settings] = wordsOf(line.replace(/\r$/, ''), offset);
      if (hosts !== undefined) {
        const onLine = readHosts(hosts.text, hosts.offset, found.length);
        applySettings(onLine, settings);
        for (const one of onLine) found.push(one);
      }
      offset += line.length + 1;
    }
    if (found.length === 0) throw new HostsError('it names no host', 0);
    countLines(found);
    return mergeHosts(found);
  });
}
