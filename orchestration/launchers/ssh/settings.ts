import { isIPv6 } from 'node:net';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import type { HostSpec } from '../../hosts/host.ts';
import { StartError, withSystemSsh } from '../launcher.ts';
import type { SshConfig } from './config.ts';
import type { SshOptions } from './options.ts';

/**
 * SSH settings for one host, after the user's ssh configuration was applied. `identitiesOnly`: true = of the ssh agent's keys only
 * those in `identityFiles` are offered. `knownHostsFiles`: paths, which need not exist. `addressFamily`: 4 or 6 = only IPv4 or
 * IPv6; 0 = both.
 */
export interface SshHostSettings {
  /** Name of the host in the run; of a jump host its address. */
  name: string;
  /** Name or address to connect to; IPv6 without brackets. */
  hostname: string;
  user: string;
  port: number;
  /** Name under which host keys are looked up instead of hostname and port; null = they are looked up under hostname and port. */
  hostKeyAlias: string | null;
  /** Paths of private keys, absolute, in the order in which they are offered; they need not exist. */
  identityFiles: string[];
  identitiesOnly: boolean;
  /** Path of the socket of the ssh agent, which need not exist; null = no agent is used. */
  agentSocket: string | null;
  knownHostsFiles: string[];
  /** Jump hosts as `[user@]host[:port]`, in the order of connecting. */
  jumps: string[];
  addressFamily: 0 | 4 | 6;
  /** Remarks about ignored or special settings, as sentences, which are printed if the connection fails. */
  notes: string[];
}

type RequiredSshFiles = Required<Pick<SshOptions, 'knownHostsFiles' | 'identityFiles'>>;

/**
 * Returns the SSH settings for a host. User and port of `host` override the configuration. If there is no ssh program to read the
 * configuration, OpenSSH's defaults apply, and a note says so.
 * @throws StartError if a name or the configuration cannot be used, or it needs the system's ssh (ProxyCommand, RevokedHostKeys)
 */
export async function settingsOf(
  host: HostSpec,
  config: SshConfig,
  options: RequiredSshFiles,
): Promise<SshHostSettings> {
  const answer = await config.of(host);
  const address = host.address.replace(/^\[(.*)\]$/, '$1');
  const all = (key: string): readonly string[] => answer?.get(key) ?? [];
  const one = (key: string): string | null => all(key)[0] ?? null;

  const hostname = one('hostname') ?? address;
  const user = host.user ?? one('user') ?? userInfo().username;
  const port = host.port ?? Number(one('port') ?? 22);
  const notes: string[] = [];
  if (answer === null)
    notes.push('There is no program ssh here, so ~/.ssh/config was not read: defaults apply.');
  if (['no', 'false', 'off', 'accept-new'].includes(one('stricthostkeychecking') ?? ''))
    notes.push(`StrictHostKeyChecking ${one('stricthostkeychecking')} is ignored: keys are always checked.`);
  const proxyCommand = one('proxycommand');
  if (proxyCommand !== null && proxyCommand !== 'none') {
    throw new StartError(
      `${host.name} is reached by a ProxyCommand, which only the system's ssh can run`,
      [`The ssh configuration says: ProxyCommand ${proxyCommand}`],
      withSystemSsh,
    );
  }
  const revoked = one('revokedhostkeys');
  if (revoked !== null && revoked !== 'none') {
    throw new StartError(
      `${host.name} has a list of revoked host keys, which only the system's ssh can read`,
      [`The ssh configuration says: RevokedHostKeys ${revoked}`],
      withSystemSsh,
    );
  }
  const expand = (text: string): string => expandTokens(text, { hostname, user, port, name: host.name });
  const files = (key: string): string[] =>
    all(key)
      .flatMap((value) => value.split(/\s+/))
      .filter(Boolean);
  const jump = one('proxyjump');
  return {
    name: host.name,
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    user,
    port,
    hostKeyAlias: one('hostkeyalias'),
    identityFiles: unique([
      ...options.identityFiles.map(expand),
      ...(answer === null ? defaultIdentities : all('identityfile')).map(expand),
    ]).filter((file) => file !== 'none'),
    identitiesOnly: one('identitiesonly') === 'yes',
    agentSocket: agentSocket(one('identityagent'), expand),
    knownHostsFiles: (
      options.knownHostsFiles ??
      (answer === null
        ? defaultKnownHosts
        : [...files('userknownhostsfile'), ...files('globalknownhostsfile')].filter(
            (file) => file !== 'none',
          ))
    ).map(expand),
    jumps: jump === null || jump === 'none' ? [] : jump.split(','),
    addressFamily: one('addressfamily') === 'inet' ? 4 : one('addressfamily') === 'inet6' ? 6 : 0,
    notes,
  };
}

const defaultIdentities = ['~/.ssh/id_rsa', '~/.ssh/id_ecdsa', '~/.ssh/id_ed25519'];
const defaultKnownHosts = ['~/.ssh/known_hosts', '/etc/ssh/ssh_known_hosts'];
const unique = (values: string[]): string[] => [...new Set(values)];

function agentSocket(value: string | null, expand: (text: string) => string): string | null {
  const inherited = process.env.SSH_AUTH_SOCK || null;
  if (value === null || value === 'SSH_AUTH_SOCK') return inherited;
  if (value === 'none') return null;
  return value.startsWith('$') ? (process.env[value.slice(1)] ?? null) : expand(value);
}

/**
 * Expands `~/`, environment variables (`${NAME}`, "" if unset), and the tokens of ssh_config(5) that occur in file names. Other
 * tokens stay as they are. No file is opened.
 */
function expandTokens(
  text: string,
  of: { hostname: string; user: string; port: number; name: string },
): string {
  const tokens: Record<string, string> = {
    '%': '%',
    d: homedir(),
    h: of.hostname,
    n: of.name,
    p: String(of.port),
    r: of.user,
    u: userInfo().username,
  };
  const plain = text
    .replace(/%([%dhnpru])/g, (_, token: string) => tokens[token] ?? '')
    .replace(/\$\{(\w+)\}/g, (_, name: string) => process.env[name] ?? '');
  return plain.startsWith('~/') ? path.join(homedir(), plain.slice(2)) : plain;
}

/**
 * Parses one jump host of ProxyJump: `[user@]host[:port]`, `ssh://...`, IPv6 with or without brackets. User and port are null if
 * they are not in the text.
 * @throws StartError if the text is no valid jump host
 */
export function hopOf(text: string): HostSpec {
  const [, user, rest = ''] = /^(?:ssh:\/\/)?(?:(.+)@)?(.*?)\/?$/s.exec(text.trim()) ?? [];
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(rest) ?? [];
  const address = isIPv6(rest) ? rest : (bracketed ?? plain);
  if (address === undefined)
    throw new StartError(`ProxyJump ${JSON.stringify(text)} is no [user@]host[:port]`);
  return {
    name: address,
    address,
    user: user ?? null,
    port: port === undefined ? null : Number(port),
    slots: null,
  };
}
