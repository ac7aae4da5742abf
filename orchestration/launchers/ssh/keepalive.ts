import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';

export const keepaliveTimeout = 'Keepalive timeout';

/**
 * Ends a connection if no byte arrives in more than `count` intervals of `ms` milliseconds, with the same error event as ssh2.
 * The check of ssh2 itself counts only answers to its keepalive requests. These may be queued behind megabytes of output that
 * this process reads slowly.
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
