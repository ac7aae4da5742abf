import { readFileSync } from 'node:fs';
import net from 'node:net';

/** True if no process uses this TCP port of the address now. */
function isFree(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, address, () => server.close(() => resolve(true)));
  });
}

/**
 * Returns `count` free TCP ports, chosen at random below the kernel's range of ephemeral ports. Until the caller uses a port,
 * only a program that asks for exactly this number can take it. @throws Error if 1000 attempts find too few
 */
export async function freePorts(count: number, address: string): Promise<number[]> {
  const lowest = 10_240;
  const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  const above = Math.max(Number.parseInt(range, 10), lowest + 10_000);
  const found = new Set<number>();
  for (let attempts = 0; found.size < count && attempts < 1000; attempts++) {
    const port = lowest + Math.floor(Math.random() * (above - lowest));
    if (!found.has(port) && (await isFree(port, address))) found.add(port);
  }
  if (found.size < count) throw new Error(`no ${count} free ports on ${address}`);
  return [...found];
}
