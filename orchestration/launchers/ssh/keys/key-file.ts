import ssh2, { type ParsedKey } from 'ssh2';
import { getOrMake } from '../../../../results/collections.ts';
import { readPlain, type UnreadableFile, writtenByHand } from '../../../../results/files/plain.ts';
import { StartError } from '../../launcher.ts';

const { parseKey } = ssh2.utils;
const passphraseTries = 3;

/**
 * A file with a private key on this machine. Its passphrase is asked for only after a server has accepted the key. For old PEM
 * formats without a .pub file it is asked for when the file is opened.
 */
export interface KeyFile {
  file: string;
  publicKey: ParsedKey;
  /**
   * Returns the private key. If the file is encrypted, the user is asked for the passphrase, with three tries; further calls give
   * the same result without a question.
   * @throws StartError if nobody can be asked, or the passphrase is wrong
   */
  unlock(): Promise<ParsedKey>;
}

/** The key files of a run; each is read and unlocked once, even for many hosts. */
export class KeyFiles {
  private readonly keys = new Map<string, Promise<KeyFile | string | null>>();
  private readonly ask: ((keyFile: string) => Promise<string>) | null;
  /** Resolves when the user has answered the previous question. The terminal shows only one question at a time. */
  private asked: Promise<unknown> = Promise.resolve();
  constructor(ask: ((keyFile: string) => Promise<string>) | null) {
    this.ask = ask;
  }

  /**
   * Returns the key in a file, or, as text, the reason why it cannot be used, with the file's name; null = there is no such file.
   * Never rejects. Old PEM formats encrypt the public key, too, so for such a file without a .pub file this function asks for the
   * passphrase.
   */
  open(file: string): Promise<KeyFile | string | null> {
    return getOrMake(this.keys, file, () => this.read(file));
  }

  private async read(file: string): Promise<KeyFile | string | null> {
    let text: Buffer;
    try {
      text = await readPlain(file, writtenByHand);
    } catch (error) {
      const { code, message } = error as UnreadableFile;
      return code === 'ENOENT' ? null : `${file}: ${message}`;
    }
    const parsed = first(parseKey(text));
    if (!(parsed instanceof Error)) {
      if (!parsed.isPrivateKey()) return `${file}: is a public key`;
      return { file, publicKey: parsed, unlock: () => Promise.resolve(parsed) };
    }
    if (!/encrypted/i.test(parsed.message)) return `${file}: ${parsed.message}`;
    let unlocked: Promise<ParsedKey> | null = null;
    const unlock = (): Promise<ParsedKey> => {
      if (unlocked === null) {
        unlocked = this.asked.then(() => this.decrypt(file, text));
        this.asked = unlocked.catch(() => undefined);
      }
      return unlocked;
    };
    const publicKey = publicPart(text) ?? (await publicFile(`${file}.pub`));
    if (publicKey !== null) return { file, publicKey, unlock };
    // In old PEM formats the public key is encrypted, too.
    const opened = await unlock().catch((error: StartError) => error);
    return opened instanceof Error ? opened.message : { file, publicKey: opened, unlock };
  }

  private async decrypt(file: string, text: Buffer): Promise<ParsedKey> {
    if (this.ask === null) {
      throw new StartError(
        `${file} is encrypted, and there is no terminal to ask for its passphrase`,
        [],
        `ssh-add ${file}`,
      );
    }
    for (let tries = 0; tries < passphraseTries; tries += 1) {
      const key = first(parseKey(text, await this.ask(file)));
      if (!(key instanceof Error)) return key;
    }
    throw new StartError(`the passphrase given does not open ${file}`, [], `ssh-add ${file}`);
  }
}

/**
 * Returns the first key of a parsed file; an Error that parseKey returned is returned as it is. For formats with several keys
 * ssh2's parseKey returns a list, although its type declaration does not say so.
 */
function first(parsed: ParsedKey | Error): ParsedKey | Error {
  return Array.isArray(parsed) ? (parsed[0] as ParsedKey) : parsed;
}

async function publicFile(file: string): Promise<ParsedKey | null> {
  const parsed = await readPlain(file, writtenByHand).then(
    (text) => first(parseKey(text)),
    () => null,
  );
  return parsed instanceof Error ? null : parsed;
}

/**
 * Returns the public key in a private key file of OpenSSH's format, which stores it unencrypted (openssh-portable, PROTOCOL.key).
 * Null for other formats, and for a damaged file.
 * @param text content of the file
 */
function publicPart(text: Buffer): ParsedKey | null {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+)-----END/.exec(text.toString('latin1'))?.[1];
  if (body === undefined) return null;
  const bytes = Buffer.from(body, 'base64');
  let at = 'openssh-key-v1\0'.length;
  const counted = (): Buffer => {
    const start = at + 4;
    at = start + bytes.readUInt32BE(at);
    return bytes.subarray(start, at);
  };
  try {
    for (const _ of ['cipher', 'kdf', 'kdf options']) counted();
    at += 4; // number of keys
    const key = counted();
    const type = key.toString('latin1', 4, 4 + key.readUInt32BE(0));
    const parsed = first(parseKey(`${type} ${key.toString('base64')}`));
    return parsed instanceof Error ? null : parsed;
  } catch {
    return null;
  }
}
