// Parser for hosts on the command line: gpu[01-08]:8,login@10.0.0.[1-4]:2222,[fe80::1%eth0]:port=22
import { isIPv6 } from 'node:net';
import { requirePlain, visibleText } from './characters.ts';
import { HostsError } from './error.ts';
import { expandName, maxRunHosts, tooManyHosts } from './expand.ts';
import type { HostSpec } from './host.ts';
import { type HostPosition, mergeHosts } from './merge.ts';
import { type HostSettings, readSuffix } from './settings.ts';

/** Maximum length of a DNS name in characters. */
const maxCharacters = 253;

interface HostItem {
  text: string;
  offset: number;
}

/**
 * Splits a host list at commas that are not in brackets. An empty text gives one empty item; nothing is checked.
 * @param offset position of the text in what the user wrote, for errors
 */
function itemsOf(text: string, offset: number): HostItem[] {
  const items: HostItem[] = [];
  let [start, isInside] = [0, false];
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === '[') isInside = true;
    else if (character === ']') isInside = false;
    else if (character === undefined || (character === ',' && !isInside)) {
      items.push({ text: text.slice(start, at), offset: offset + start });
      start = at + 1;
    }
  }
  return items;
}

/**
 * Returns the names of a host item as typed, each with the address to connect to. They differ only for an IPv6 address, whose name
 * has brackets.
 * @param host an IPv6 address in brackets, or a name whose brackets are expanded ("gpu[01-08]")
 * @param offset position of the text in what the user wrote, for errors
 * @throws HostsError if a name is invalid or too long, or the expansion gives a name twice
 */
function namesOf(host: string, offset: number): { name: string; address: string }[] {
  if (host.startsWith('[') && host.includes(':')) {
    const address = host.slice(1, -1);
    const [plain = '', zone] = address.split('%', 2);
    if (!host.endsWith(']') || !isIPv6(plain) || zone === '') {
      throw new HostsError(`${visibleText(host)} is not an IPv6 address in brackets`, offset);
    }
    const zoneAt = plain.length + 1;
    requirePlain('zone of an IPv6 address', address.slice(zoneAt), offset + 1 + zoneAt);
    return [{ name: host, address }];
  }
  requirePlain('host name', host, offset, '[],');
  const names = expandName(host, offset);
  const seen = new Set<string>();
  for (const name of names) {
    if (name.length > maxCharacters) {
      throw new HostsError(`${visibleText(name)} is longer than ${maxCharacters} characters`, offset);
    }
    if (seen.has(name)) throw new HostsError(`${visibleText(host)} names ${name} twice`, offset);
    seen.add(name);
  }
  return names.map((name) => ({ name, address: name }));
}

/**
 * Returns the index at which the settings of a host begin: the first colon outside of brackets. Without such a colon
 * it is the length of the text.
 */
function endOfHost(text: string): number {
  let isInside = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '[') isInside = true;
    else if (text[at] === ']') isInside = false;
    else if (text[at] === ':' && !isInside) return at;
  }
  return text.length;
}

function readItem({ text, offset }: HostItem): HostPosition[] {
  if (text === '') throw new HostsError('a host is missing', offset);
  const at = text.lastIndexOf('@');
  const rest = text.slice(at + 1);
  const start = offset + at + 1;
  const settings: HostSettings = { user: null, port: null, slots: null };
  if (at >= 0) {
    const user = text.slice(0, at);
    if (user === '') throw new HostsError(`${visibleText(text)}: the user name before @ is empty`, offset);
    requirePlain('user name', user, offset, '@+');
    settings.user = user;
  }
  if (rest === '') throw new HostsError(`${visibleText(text)}: the host behind @ is missing`, start);
  if (isIPv6(rest)) {
    throw new HostsError(`${rest} is an IPv6 address: write it in brackets, [${rest}]`, start);
  }
  const end = endOfHost(rest);
  const host = rest.slice(0, end);
  if (host === '') throw new HostsError(`${visibleText(text)}: the host before the colon is missing`, start);
  const names = namesOf(host, start);
  readSuffix(rest.slice(end), settings, start + end);
  return names.map((one) => ({ spec: { ...one, ...settings }, offset }));
}

/**
 * Parses a host list as on the command line: "gpu[01-08]:8,me@login:2222". The hosts are not merged: the same host may occur
 * twice.
 * @param offset position of the text in its file, for errors
 * @param already number of hosts named earlier, for the limit on hosts
 * @throws HostsError with the offset of the error, also if the text is empty
 */
export function readHosts(text: string, offset = 0, already = 0): HostPosition[] {
  const found: HostPosition[] = [];
  for (const item of itemsOf(text, offset)) {
    for (const host of readItem(item)) found.push(host);
    const count = already + found.length;
    if (count > maxRunHosts) throw tooManyHosts('this list', count, item.offset);
  }
  return found;
}

/**
 * Parses the value of `--hosts` and returns its hosts, in their order. For a host that is named twice, the slots are added.
 * @throws HostsError if the text is invalid; its message names the wrong part
 */
export const parseHosts = (text: string): HostSpec[] => mergeHosts(readHosts(text));

/**
 * Returns a text from which `parseHosts` makes the same host, with ports and slots as `key=value`. Settings that are
 * null are left out. A `name` that differs from the address, such as `name:port`, is lost.
 */
export function hostText({ address, user, port, slots, iface }: HostSpec): string {
  return [
    `${user === null ? '' : `${user}@`}${address.includes(':') ? `[${address}]` : address}`,
    ...(port === null ? [] : [`port=${port}`]),
    ...(slots === null ? [] : [`slots=${slots}`]),
    ...(iface == null ? [] : [`iface=${iface}`]),
  ].join(':');
}
