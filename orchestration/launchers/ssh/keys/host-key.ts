import { createHash } from 'node:crypto';
import type { ServerHostKeyAlgorithm } from 'ssh2';
import { StartError, withSystemSsh } from '../../launcher.ts';
import { hostLabel } from '../names.ts';
import type { SshHostSettings } from '../settings.ts';
import { type KnownHosts, knownName } from './known-hosts.ts';

/** Signature algorithms for each type of host key, old ones last. ssh2 cannot check other types. */
const algorithmsOf: Record<string, ServerHostKeyAlgorithm[]> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
};

/** Known keys of a host, and the check of the key that it presents. */
export interface HostKeyCheck {
  /**
   * Host key algorithms to request from the server. They are limited to the types of the known keys, so that a host known by
   * its RSA key does not present its ed25519 key. For a host without known keys they are all that ssh2 can check.
   */
  algorithms: ServerHostKeyAlgorithm[];
  /**
   * Compares a presented key with the known keys.
   * @returns the error with which it is rejected (unknown, changed, revoked); null = accepted
   */
  judge(key: Buffer): StartError | null;
  /** Returns the error for a server that has no host key of the requested types. */
  otherTypes(): StartError;
}

export async function hostKeyCheck(host: SshHostSettings, files: KnownHosts): Promise<HostKeyCheck> {
  const name = host.hostKeyAlias ?? knownName(host.hostname, host.port);
  const known = await files.keys(host.knownHostsFiles, name.toLowerCase());
  // Like OpenSSH, this accepts a key known for the host without a port for every port. If the host has a different key
  // there, this proves nothing.
  const elsewhere =
    host.hostKeyAlias === null && host.port !== 22
      ? await files.keys(host.knownHostsFiles, host.hostname.toLowerCase())
      : [];
  const plain = known.filter(({ mark, type }) => mark === null && type in algorithmsOf);
  const strange = known.find(({ mark, type }) => mark === null && !(type in algorithmsOf));
  const revoked = [...known, ...elsewhere].filter(({ mark }) => mark === 'revoked');
  const authorities = known.filter(({ mark }) => mark === 'cert-authority');
  const where = hostLabel(host.user, host.hostname, host.port);
  const first = plain[0];
  const changed = (what: string): StartError =>
    new StartError(
      `the host key of ${host.name} has CHANGED: somebody may be listening in, or the machine was reinstalled`,
      [what, `Ask whoever runs ${where} before you remove line ${first?.at}.`, ...host.notes],
      `ssh-keygen -R '${name}' -f '${first?.at.replace(/:\d+$/, '')}'`,
    );
  const types = [...new Set(plain.map(({ type }) => type))];
  const likely = elsewhere.flatMap(({ mark, type }) => (mark === null ? (algorithmsOf[type] ?? []) : []));
  return {
    algorithms:
      types.length > 0
        ? types.flatMap((type) => algorithmsOf[type] ?? [])
        : [...new Set([...likely, ...Object.values(algorithmsOf).flat()])],
    judge: (key) => {
      const shown = `${typeOf(key)} ${fingerprint(key)}`;
      const taken = revoked.find((line) => line.key.equals(key));
      if (taken !== undefined)
        return new StartError(`the host key of ${host.name} is revoked`, [
          `It shows ${shown}, which ${taken.at} marks @revoked.`,
        ]);
      if (plain.some((line) => line.key.equals(key))) return null;
      if (first !== undefined) {
        const old = plain.find(({ type }) => type === typeOf(key)) ?? first;
        return changed(`It shows ${shown}; ${old.at} has ${old.type} ${fingerprint(old.key)}.`);
      }
      if (strange !== undefined) {
        return new StartError(
          `${host.name} is known by a key of type ${strange.type} only, which the built-in ssh cannot check`,
          [`${strange.at} has it; what was shown is ${shown}.`],
          withSystemSsh,
        );
      }
      if (authorities[0] !== undefined) {
        return new StartError(
          `${host.name} is known by a certificate authority only, which the built-in ssh cannot check`,
          [`${authorities[0].at} is a @cert-authority line; the host's own key is ${shown}.`],
          withSystemSsh,
        );
      }
      if (elsewhere.some((line) => line.mark === null && line.key.equals(key))) return null;
      return unknown(host, name, shown);
    },
    otherTypes: () =>
      first === undefined
        ? new StartError(
            `${host.name} has no host key of a type that the built-in ssh can check`,
            [],
            withSystemSsh,
          )
        : changed(`It has no key of type ${types.join(' or ')} any more, which is what ${first.at} knows.`),
  };
}

function unknown(host: SshHostSettings, name: string, shown: string): StartError {
  const file = host.knownHostsFiles[0] ?? '~/.ssh/known_hosts';
  const { hostKeyAlias: alias } = host;
  // The key must be stored under the name that is looked up, which is the alias if there is one.
  const renamed = alias === null ? '' : ` | sed 's|^[^ ]*|${alias}|'`;
  const scan = `ssh-keyscan -p ${host.port} ${host.hostname}${renamed} >> '${file}'`;
  const login = [
    'ssh',
    ...(alias === null ? [] : [`-o HostKeyAlias=${alias}`]),
    ...(host.port === 22 ? [] : [`-p ${host.port}`]),
    `${host.user}@${host.hostname}`,
  ];
  return new StartError(
    `the host key of ${host.name} is not known yet: ${shown}`,
    [
      `${name} is in none of ${host.knownHostsFiles.join(', ')}.`,
      `Compare the fingerprint with the machine's own (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub there), then accept it once by logging in${host.jumps.length > 0 ? '' : `, or with ${scan}`}.`,
      ...host.notes,
    ],
    login.join(' '),
  );
}

/** Returns the fingerprint of a key (its binary form) in the format of `ssh-keygen -l`: "SHA256:" and base64 without "=". */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/**
 * Returns the type of a key, such as "ssh-ed25519"; "?" if the data is too short to be a key. A key's binary form
 * begins with the length of the type (4 bytes) and the type.
 */
export function typeOf(key: Buffer): string {
  return key.length < 4 ? '?' : key.toString('latin1', 4, 4 + key.readUInt32BE(0));
}
