import ssh2, { type ParsedKey } from 'ssh2';
import { readPlain, type UnreadableFile, writtenByHand } from '../../../../results/files/plain.ts';
import { StartError } from '../../launcher.ts';

const { parseKey } = ssh2.utils;
const passphraseTries = 3;

/** A private key on this machine. Its passphrase is asked for only when a server has said that it would take the key. */
export interface KeyFile {
  file: string;
  publicKey: ParsedKey;
  /** @throws StartError nobody there to ask, or a wrong passphrase */
  unlock(): Promise<ParsedKey>;
}

/** Every key file of a run, read and unlocked once however many hosts take it. */
export class KeyFiles {
  private readonly keys = new Map<string, Promise<KeyFile | string | null>>();
  private readonly ask: ((keyFile: string) => Promise<string>) | null;
  /** One terminal, one question at a time. */
  private asked: Promise<unknown> = Promise.resolve();
  constructor(ask: ((keyFile: string) => Promise<string>) | null) {
    this.ask = ask;
  }

  /** The key, or why it cannot be used; `null` = there is no such file. */
  open(file: string): Promise<KeyFile | string | null> {
    let key = this.keys.get(file);
    if (key === undefined) {
      key = this.read(file);
      this.keys.set(file, key);
    }
    return key;
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
    // Old PEM formats hide the public key too.
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

/** Some formats hold several keys; what we are given then is a list, which the types do not say. */
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

/** The public key that OpenSSH's format keeps in the clear: openssh-portable, PROTOCOL.key. */
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
