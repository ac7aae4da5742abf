import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { sanitiseLine } from '../../results/text.ts';

/**
 * Returns a function that asks the user at the terminal for the passphrase of a key, without echo. Its parameter is the path of
 * the key file. It rejects with an Error if the user presses Ctrl-C. Only one question at a time.
 * @returns null if stdin or stderr is no terminal
 */
export function askPassphrase(): ((keyFile: string) => Promise<string>) | null {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return null;
  return (keyFile) =>
    new Promise((resolve, reject) => {
      // readline echoes typed characters to its output, so the output is discarded.
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
      const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true });
      // The path may contain terminal control characters.
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
