/**
 * 32-bit FNV-1a hash as 8 hexadecimal digits. node:crypto is not used, because every command loads the workloads, which call
 * this function, and would start more slowly.
 */
export function textHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
