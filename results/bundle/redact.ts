// Replaces names of hosts and users, paths and addresses in a run. Equal originals get equal replacements everywhere.
import { isIP, isIPv6 } from 'node:net';
import type { RunRecord } from '../schema/index.ts';

/** Host names that identify nobody. */
const harmlessHosts = new Set(['localhost', 'local', '']);
const harmlessUsers = new Set(['root', 'user', 'home']);
/** Paths that every Linux machine has. */
const systemPath = /^\/(?:dev|sys|proc|bin|sbin|lib|lib64|usr\/(?:bin|sbin|lib|lib64))(?:\/|$)/;

const absolutePath = /(?<![\w.~/-])(?:~|\/)[\w.+@-]*(?:\/[\w.+@ -]*[\w.+@-])+/g;
const ipv4 = /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])/g;
const macOrIpv6 = /(?<![\w:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])/gi;
const guid = /\b0x[0-9a-f]{16,32}\b/gi;
const mac = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5,7}$/i;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** Pattern of the text as a whole word. */
const word = (text: string): RegExp => new RegExp(`(?<![A-Za-z0-9_])${escaped(text)}(?![A-Za-z0-9_])`, 'g');

export class Redactor {
  private readonly stand = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  private readonly names: { pattern: RegExp; name: string; kind: string }[];

  constructor(record: RunRecord) {
    const hosts = hostsOf(record).filter((name) => !harmlessHosts.has(name));
    const users = usersOf(record).filter((name) => !harmlessUsers.has(name));
    // Longest names are replaced first, so that gpu1.example.org is replaced before gpu1.
    this.names = [
      ...hosts.map((name) => ({ name, kind: 'host' })),
      ...users.map((name) => ({ name, kind: 'user' })),
    ]
      .toSorted((a, b) => b.name.length - a.name.length)
      .map((one) => ({ ...one, pattern: word(one.name) }));
    for (const name of [...hosts].sort()) this.standIn('host', shortOf(name));
  }

  /** Replacement for one name: "host1" for the first host, and so on. */
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

  /** Replaces all names in a text. A path keeps its last part, which says what it is: path1/libnccl.so.2. */
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

  /** Replaces names in every string of a value, keys of objects included; numbers stay. */
  deep<T>(value: T): T {
    if (typeof value === 'string') return this.text(value) as T;
    if (Array.isArray(value)) {
      // Lists of numbers are samples: long, and without names.
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

/** Name without its domain, as gpu01 and gpu01.example.org are the same machine. */
const shortOf = (name: string): string => name.split('.')[0] ?? name;

/** Host names from the plan and as the machines report them, each also without its domain. */
function hostsOf({ plan, inventory }: RunRecord): string[] {
  const said = [
    ...plan.hosts.flatMap(({ name, at }) => [name, hostOfAddress(at)]),
    ...Object.entries(inventory).flatMap(([name, { hostname }]) => [name, hostname]),
  ];
  return [...new Set(said.filter((name) => isIP(name) === 0).flatMap((name) => [name, shortOf(name)]))];
}

/** Host part of `user@address:port`. */
const hostOfAddress = (at = ''): string => at.replace(/^.*@/, '').replace(/:\d+$/, '');

/** Login names of the hosts, and owners of home folders in any path of the record. */
function usersOf(record: RunRecord): string[] {
  const logins = record.plan.hosts.flatMap(({ at }) => /^([^@]+)@/.exec(at ?? '')?.[1] ?? []);
  const homes = [...JSON.stringify(record).matchAll(/\/(?:home|Users)\/([A-Za-z0-9._-]+)/g)];
  return [...new Set([...logins, ...homes.flatMap(([, name]) => name ?? [])])];
}
