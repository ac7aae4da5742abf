import type { Duplex } from 'node:stream';
import ssh2, { type GetStreamCallback, type ParsedKey } from 'ssh2';
import { StartError, withSystemSsh } from '../../launcher.ts';
import { hostLabel } from '../names.ts';
import type { SshHostSettings } from '../settings.ts';
import { fingerprint } from './host-key.ts';
import type { KeyFile, KeyFiles } from './key-file.ts';

type SignFunction = (data: Buffer, hash: string | undefined) => Promise<Buffer>;
interface KeyOffer {
  key: ParsedKey;
  /** Text of the key for messages: its fingerprint and where it is from. */
  shown: string;
  sign: SignFunction;
}

/**
 * All keys that may be offered to a host, from the ssh agent and from files. It implements an agent of ssh2. So a key is used, and
 * its passphrase asked for, only after the server has accepted the key. Keys that cannot be read are left out; the error of
 * refused() names them.
 */
export class SshIdentities extends ssh2.BaseAgent<ParsedKey> {
  private readonly offers: readonly KeyOffer[];
  private readonly remarks: string[];
  /**
   * Called with true before a key signs, which may ask the user for a passphrase, and with false when it has signed or failed. The
   * deadline of the handshake excludes this time.
   */
  private readonly asking: (isAsking: boolean) => void;
  /** Reason why a key that the server accepts could not be used, for example a wrong passphrase; null if there is none. */
  problem: StartError | null = null;

  private constructor(offers: readonly KeyOffer[], remarks: string[], asking: (isAsking: boolean) => void) {
    super();
    this.offers = offers;
    this.remarks = remarks;
    this.asking = asking;
  }

  static async of(
    host: SshHostSettings,
    files: KeyFiles,
    asking: (isAsking: boolean) => void,
  ): Promise<SshIdentities> {
    const remarks: string[] = [];
    const keys: KeyFile[] = [];
    for (const file of host.identityFiles) {
      const key = await files.open(file);
      if (typeof key === 'string') remarks.push(`Not offered: ${key}.`);
      else if (key !== null) keys.push(key);
    }
    const held = host.agentSocket === null ? [] : await heldByAgent(host.agentSocket, remarks);
    const isNamed = (offer: KeyOffer): boolean => keys.some(({ publicKey }) => same(publicKey, offer.key));
    const fromAgent = held.filter((offer) => !host.identitiesOnly || isNamed(offer));
    // Keys named in the configuration come first, because servers allow only a few attempts.
    fromAgent.sort((a, b) => Number(isNamed(b)) - Number(isNamed(a)));
    const fromFiles = keys
      .filter(({ publicKey }) => !held.some(({ key }) => same(publicKey, key)))
      .map(offerOf);
    return new SshIdentities([...fromAgent, ...fromFiles], remarks, asking);
  }

  override getIdentities(done: (error: Error | undefined, keys?: ParsedKey[]) => void): void {
    done(
      undefined,
      this.offers.map(({ key }) => key),
    );
  }

  override sign(key: ParsedKey, data: Buffer, ...rest: unknown[]): void {
    const done = rest.at(-1) as (error: Error | null, signature?: Buffer) => void;
    const { hash } = (rest.length > 1 ? (rest[0] ?? {}) : {}) as { hash?: string };
    const offer = this.offers.find((one) => same(one.key, key));
    if (offer === undefined) {
      done(new Error('a key that was not offered'));
      return;
    }
    this.asking(true);
    offer.sign(data, hash).then(
      (signature) => {
        this.asking(false);
        done(null, signature);
      },
      (error: unknown) => {
        this.asking(false);
        if (error instanceof StartError) this.problem ??= error;
        else this.remarks.push(`${offer.shown} could not sign: ${(error as Error).message}.`);
        done(error as Error);
      },
    );
  }

  /**
   * Returns the error for a login that failed; it is not thrown. It is `problem` if a key could not be used, otherwise it says
   * that the server accepted none of the keys, or demands more than a key.
   * @param methods login methods that the server accepts; empty = unknown
   * @param isPartial true if the server accepted a key but requires a further method
   */
  refused(host: SshHostSettings, methods: readonly string[], isPartial: boolean): StartError {
    if (this.problem !== null) return this.problem;
    const where = hostLabel(host.user, host.hostname, host.port);
    const offered =
      this.offers.length === 0
        ? 'No key was offered: none in the ssh agent, none in the identity files.'
        : `Offered: ${this.offers.map(({ shown }) => shown).join('; ')}.`;
    if (isPartial) {
      return new StartError(
        `${host.name} took a key of user ${host.user} but wants ${methods.join(' or ')} as well`,
        [offered, 'The built-in ssh logs in with keys alone.'],
        withSystemSsh,
      );
    }
    const others = methods.filter((method) => method !== 'publickey');
    const only = others.length > 0 && !methods.includes('publickey');
    return new StartError(
      `${host.name} refused the login of user ${host.user} (${where})`,
      [
        offered,
        ...this.remarks,
        ...(only ? [`It accepts ${others.join(', ')}, but no keys; --rsh openssh may work.`] : []),
        ...host.notes,
      ],
      `ssh-copy-id ${host.port === 22 ? '' : `-p ${host.port} `}${host.user}@${host.hostname}`,
    );
  }
}

const same = (a: ParsedKey, b: ParsedKey): boolean => a.getPublicSSH().equals(b.getPublicSSH());

function offerOf({ file, publicKey, unlock }: KeyFile): KeyOffer {
  return {
    key: publicKey,
    shown: `${file} (${publicKey.type} ${fingerprint(publicKey.getPublicSSH())})`,
    sign: async (data, hash) => {
      const signature: Buffer | Error = (await unlock()).sign(data, hash);
      if (signature instanceof Error) throw signature;
      return signature;
    },
  };
}

/**
 * Maximum ms to wait for the ssh agent's list of keys. It is short, because the agent is local and needs no user input for the
 * list.
 */
const listMs = 3000;

/** An ssh agent whose pending request can be cancelled. */
class LocalAgent extends ssh2.OpenSSHAgent {
  private stream: Duplex | undefined;

  override getStream(done: GetStreamCallback): void {
    super.getStream((error, stream) => {
      this.stream = stream;
      done(error, stream);
    });
  }

  letGo(): void {
    this.stream?.destroy();
  }
}

/**
 * Returns the keys that the ssh agent holds. If the agent does not answer within `listMs`, or answers with an error, the list is
 * empty and a remark is added to `remarks`.
 * @param remarks texts that are shown if the login fails; changed in place
 * @param socket path of the ssh agent's socket
 */
async function heldByAgent(socket: string, remarks: string[]): Promise<KeyOffer[]> {
  const agent = new LocalAgent(socket);
  const keys = await new Promise<ParsedKey[]>((resolve) => {
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      remarks.push(`The ssh agent at ${socket} does not answer within ${listMs / 1000} s.`);
      agent.letGo();
      resolve([]);
    }, listMs);
    agent.getIdentities((error, found) => {
      clearTimeout(late);
      if (error && !isLate) remarks.push(`The ssh agent at ${socket} does not answer: ${error.message}.`);
      resolve((found ?? []) as ParsedKey[]);
    });
  });
  return keys.map((key) => ({
    key,
    shown: `${key.comment || 'key'} of the ssh agent (${key.type} ${fingerprint(key.getPublicSSH())})`,
    sign: (data, hash) =>
      new Promise((resolve, reject) => {
        const options = hash === undefined ? {} : { hash: hash as 'sha256' };
        agent.sign(key, data, options, (error, signature) =>
          signature === undefined ? reject(error ?? new Error('no signature')) : resolve(signature),
        );
      }),
  }));
}
