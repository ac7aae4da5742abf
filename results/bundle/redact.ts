// Replaces names of hosts and users, paths and addresses in a run. Equal names get equal replacements in the whole run.
import { isIP, isIPv6 } from 'node:net';
import type { RunRecord } from '../schema/index.ts';

/** Host names that reveal nothing, because many machines have them; they are not replaced. `harmlessUsers`: the same for users. */
const harmlessHosts = new Set(['localhost', 'local', '']);
const harmlessUsers = new Set(['root', 'user', 'home']);
/** Matches paths that every Linux machine has, so that they need no replacement. */
const systemPath = /^\/(?:dev|sys|proc|bin|sbin|lib|lib64|usr\/(?:bin|sbin|lib|lib64))(?:\/|$)/;

const absolutePath = /(?<![\w.~/-])(?:~|\/)[\w.+@-]*(?:\/[\w.+@ -]*[\w.+@-])+/g;
const ipv4 = /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])/g;
const macOrIpv6 = /(?<![\w:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])/gi;
const guid = /\b0x[0-9a-f]{16,32}\b/gi;
const mac = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5,7}$/i;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** Returns a pattern that finds the text as a whole word, that is, without letters, digits or underscores next to it. */
const word = (text: string): RegExp => new RegExp(`(?<![A-Za-z0-9_])${escaped(text)}(?![A-Za-z0-9_])`, 'g');

export class Redactor {
  private readonly stand = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  private readonly names: { pattern: RegExp; name: string; kind: string }[];

  constructor(record: RunRecord) {
    const hosts = hostsOf(record).filter((name) => !harmlessHosts.has(name));
    const users = usersOf(record).filter((name) => !harmlessUsers.has(name));
    // Longer names are replaced first, so that gpu1.example.org is replaced before gpu1.
    this.names = [
      ...hosts.map((name) => ({ name, kind: 'host' })),
      ...users.map((name) => ({ name, kind: 'user' })),
    ]
      .toSorted((a, b) => b.name.length - a.name.length)
      .map((one) => ({ ...one, pattern: word(one.name) }));
    for (const name of [...hosts].sort()) this.standIn('host', shortOf(name));
  }

  /**
   * Returns the replacement for a name: "host1" for the first host, "host2" for the next. A name always has the same replacement.
   * @param kind host, user, path or addr
   */
  private standIn(kind: string, original: string): string {
    const key = `${kind} ${original}`;
    const known = this.stand.get(key);
    if (known !== undefined) return known;
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    const name = `${kind}${count}`;
    this.stand.set(key, name);
    return name;
  }

  /**
   * Replaces names of hosts and users, paths, and addresses (IP, MAC, GUID) in a text. A path keeps its last part, which says what
   * the file is: path1/libnccl.so.2. System folders, loopback addresses and 0.0.0.0 are not replaced.
   */
  text(value: string): string {
    let text = value
      .replaceAll(absolutePath, (path) => this.path(path))
      .replaceAll(ipv4, (address) => this.ipv4(address))
      .replaceAll(macOrIpv6, (address) =>
        isAddress(address) ? this.standIn('addr', address.toLowerCase()) : address,
      )
      .replaceAll(guid, (address) => this.standIn('addr', address.toLowerCase()));
    for (const { pattern, name, kind } of this.names) {
      text = text.replaceAll(pattern, this.standIn(kind, kind === 'host' ? shortOf(name) : name));
    }
    return text;
  }

  private path(path: string): string {
    if (systemPath.test(path)) return path;
    const cut = path.lastIndexOf('/');
    return `${this.standIn('path', path.slice(0, cut))}/${path.slice(cut + 1)}`;
  }

  private ipv4(address: string): string {
    const parts = address.split('.').map(Number);
    if (parts.some((part) => part > 255) || parts[0] === 127 || address === '0.0.0.0') return address;
    return this.standIn('addr', address);
  }

  /** Returns the value with private names replaced in all its strings, also in keys of objects. Numbers are not changed. */
  deep<T>(value: T): T {
    if (typeof value === 'string') return this.text(value) as T;
    if (Array.isArray(value)) {
      // Lists of numbers are samples: they are long and contain no names.
      return typeof value[0] === 'number' ? value : (value.map((one) => this.deep(one)) as T);
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [this.text(key), this.deep(one)]),
    ) as T;
  }
}

const isAddress = (text: string): boolean =>
  text !== '::1' && text !== '::' && (mac.test(text) || isIPv6(text));

/** Returns a host name without its domain, because gpu01 and gpu01.example.org are the same machine. */
const shortOf = (name: string): string => name.split('.')[0] ?? name;

/** Returns the host names in the plan and those that machines report, each also without its domain; IP addresses are left out. */
function hostsOf({ plan, inventory }: RunRecord): string[] {
  const said = [
    ...plan.hosts.flatMap(({ name, at }) => [name, hostOfAddress(at)]),
    ...Object.entries(inventory).flatMap(([name, { hostname }]) => [name, hostname]),
  ];
  return [...new Set(said.filter((name) => isIP(name) === 0).flatMap((name) => [name, shortOf(name)]))];
}

/** Returns the host part of `user@address:port`; '' if `at` is absent. */
const hostOfAddress = (at = ''): string => at.replace(/^.*@/, '').replace(/:\d+$/, '');

/** Returns the login names for the hosts, and the owners of all home folders whose paths occur in the record. */
function usersOf(record: RunRecord): string[] {
  const logins = record.plan.hosts.flatMap(({ at }) => /^([^@]+)@/.exec(at ?? '')?.[1] ?? []);
  const homes = [...JSON.stringify(record).matchAll(/\/(?:home|Users)\/([A-Za-z0-9._-]+)/g)];
  return [...new Set([...logins, ...homes.flatMap(([, name]) => name ?? [])])];
}
