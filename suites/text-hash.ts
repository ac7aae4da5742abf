/** FNV-1a of 32 bits: node:crypto would be loaded by every command, since all know the workloads. */
export function textHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
