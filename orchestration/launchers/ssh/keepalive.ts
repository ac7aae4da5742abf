import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';

export const keepaliveTimeout = 'Keepalive timeout';

/**
 * Ends a connection that has been silent for more than `count` turns of `ms`, with an error event as ssh2 has it. Any
 * byte counts as life: ssh2 itself counts only answers to its questions, which may stand behind megabytes of output
 * that we are slow to read.
 */
export function watchKeepalive(client: Client, sock: Duplex, ms: number, count: number): void {
  let silentTurns = 0;
  sock.on('data', () => {
    silentTurns = 0;
  });
  const timer = setInterval(() => {
    silentTurns += 1;
    if (silentTurns <= count) return;
    clearInterval(timer);
    client.emit('error', new Error(keepaliveTimeout));
    client.destroy();
    sock.destroy();
  }, ms);
  client.once('close', () => clearInterval(timer));
}
