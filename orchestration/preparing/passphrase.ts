import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { sanitiseLine } from '../../results/text.ts';

/**
 * Asks at the terminal for the passphrase of a key, unseen.
 * @returns `null` where there is no terminal to ask at
 */
export function askPassphrase(): ((keyFile: string) => Promise<string>) | null {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return null;
  return (keyFile) =>
    new Promise((resolve, reject) => {
      // readline echoes what is typed to its output.
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
      const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true });
      // A path may hold what a terminal would obey.
      process.stderr.write(`passphrase of ${sanitiseLine(keyFile)}: `);
      prompt.question('', (answer) => {
        process.stderr.write('\n');
        prompt.close();
        resolve(answer);
      });
      prompt.on('SIGINT', () => {
        process.stderr.write('\n');
        prompt.close();
        reject(new Error(`no passphrase was given for ${keyFile}`));
      });
    });
}
