import { requirePlain, visibleText } from './characters.ts';
import { HostsError } from './error.ts';
import type { HostSpec } from './host.ts';

/** Settings of a host in addition to its address. */
export type HostSettings = Pick<HostSpec, 'user' | 'port' | 'slots' | 'iface'>;

/**
 * Largest number after "host:" that is read as a number of slots; larger numbers are read as a port. Hosts have few slots, and
 * low ports are system ports.
 */
const maxBareSlots = 1024;
const maxSlots = 65_536;
const maxPort = 65_535;

const numberOf = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);

/**
 * Parses a port (1 to 65,535) or a number of slots (1 to 65,536).
 * @param key `port` or `slots`; it decides the range and the error text
 * @param offset position of the text in what the user wrote, for errors
 * @throws HostsError if it is out of range, or no number
 */
function limited(key: 'port' | 'slots', text: string, offset: number): number {
  const most = key === 'port' ? maxPort : maxSlots;
  const value = numberOf(text);
  if (value >= 1 && value <= most) return value;
  throw new HostsError(
    `${key}=${visibleText(text)}: ${key === 'port' ? 'a port is' : 'slots are'} a whole number from 1 to ${most}`,
    offset,
  );
}

/**
 * Stores one setting `key=value` of a host in `settings`, in place. Keys: port, slots, user, iface.
 * @param offset position of the text in what the user wrote, for errors
 * @throws HostsError for unknown keys, bad values, and keys given twice
 */
export function setByKey(settings: HostSettings, key: string, value: string, offset: number): void {
  const once = (known: keyof HostSettings) => {
    if ((settings[known] ?? null) !== null) throw new HostsError(`${known} is given twice`, offset);
  };
  if (key === 'port' || key === 'slots') {
    once(key);
    settings[key] = limited(key, value, offset);
  } else if (key === 'user') {
    once(key);
    if (value === '') throw new HostsError('the user name is empty', offset);
    requirePlain('user name', value, offset, '@+');
    settings.user = value;
  } else if (key === 'iface') {
    once(key);
    if (value === '') throw new HostsError('the interface name is empty', offset);
    requirePlain('interface name', value, offset);
    settings.iface = value;
  } else {
    throw new HostsError(
      `${visibleText(key)}=: unknown setting of a host; allowed: port=, slots=, user=, iface=`,
      offset,
    );
  }
}

/**
 * Returns a clause for messages, without full stop, that says how a number after a host name is read if no key precedes it: small
 * numbers (":8") as slots, large numbers (":2222") as a port.
 */
const reading = (value: number): string =>
  value <= maxBareSlots
    ? `:${value} is read as slots, like any number up to ${maxBareSlots}`
    : `:${value} is read as a port, like any number above ${maxBareSlots}`;

/**
 * Parses the text after a host and stores the result in `settings`, in place: `:8` (slots), `:2222` (port), `:2222:8` (port,
 * slots), `:port=22`, `:slots=2000`, `:iface=eth1`, `:user=name`. A number alone is slots up to `maxBareSlots`, otherwise a port.
 * @param text begins with its colon, or is empty
 * @param offset position of the text in what the user wrote, for errors
 * @throws HostsError if the text is invalid, or gives a setting twice
 */
export function readSuffix(text: string, settings: HostSettings, offset: number): void {
  const bare: { text: string; offset: number }[] = [];
  let at = offset + 1;
  for (const word of text === '' ? [] : text.slice(1).split(':')) {
    const equals = word.indexOf('=');
    if (equals < 0) bare.push({ text: word, offset: at });
    else setByKey(settings, word.slice(0, equals), word.slice(equals + 1), at);
    at += word.length + 1;
  }
  for (const { text: word, offset: where } of bare) {
    if (Number.isNaN(numberOf(word))) {
      throw new HostsError(
        `:${visibleText(word)} behind a host is neither a number nor port=, slots=, user= or iface=`,
        where,
      );
    }
  }
  const [first, second, third] = bare;
  if (third !== undefined) {
    throw new HostsError('three numbers behind a host: write host:port:slots', third.offset);
  }
  if (first === undefined) return;
  if (second !== undefined) {
    for (const [key, word] of [
      ['port', first],
      ['slots', second],
    ] as const) {
      if (settings[key] !== null) {
        throw new HostsError(
          `:${first.text}:${second.text} is read as port and slots, but ${key}= gives ${key} again`,
          word.offset,
        );
      }
      settings[key] = limited(key, word.text, word.offset);
    }
    return;
  }
  const value = numberOf(first.text);
  if (value === 0) {
    throw new HostsError(':0 is neither slots nor a port', first.offset, 'write host:slots=N or host:port=N');
  }
  const key = value <= maxBareSlots ? 'slots' : 'port';
  const other = key === 'slots' ? 'port' : 'slots';
  if (settings[key] !== null) {
    throw new HostsError(
      `${reading(value)}, and ${key}=${settings[key]} gives that again: write ${other}=${value} if that is meant`,
      first.offset,
    );
  }
  if (value > maxPort) {
    throw new HostsError(
      `${reading(value)}, and ports end at ${maxPort}; slots=${value} says slots`,
      first.offset,
    );
  }
  settings[key] = value;
}
