import type { ProbedHost } from '../engines/engine.ts';

/**
 * SHA-256 of the file of each net plugin, for run.json. It is recorded, because results with a changed file are not comparable.
 * If all hosts have the same file, it is recorded once.
 */
export function pluginVersions(hosts: readonly ProbedHost[]): Record<string, string> {
  const found = new Map<string, Map<string, string>>();
  for (const { name: host, result } of hosts) {
    for (const { name, facts = {} } of result.probed) {
      const hash = facts['plugin.sha256'];
      if (hash !== undefined) found.set(name, (found.get(name) ?? new Map()).set(host, hash));
    }
  }
  return Object.fromEntries(
    [...found].map(([name, byHost]) => {
      const hashes = new Set(byHost.values());
      const each = [...byHost].map(([host, hash]) => `${host} ${hash}`);
      return [`${name} sha256`, hashes.size === 1 ? ([...hashes][0] as string) : each.join(', ')];
    }),
  );
}
