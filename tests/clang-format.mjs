// Checks (or with --write applies) clang-format on the named files, or all native sources, with the version pinned in
// package.json.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const named = process.argv.slice(2).filter((word) => word !== '--write');
const all = () =>
  ['native', 'tests']
    .flatMap((room) =>
      readdirSync(path.join(root, room), { recursive: true }).map((file) => path.join(room, file)),
    )
    .filter((file) => /\.(cc|h|c|cu)$/.test(file));
const files = named.length > 0 ? named : all();
const mode = process.argv.includes('--write') ? ['-i'] : ['--dry-run', '--Werror'];
const result = spawnSync('npx', ['clang-format', ...mode, ...files], { cwd: root, stdio: 'inherit' });
process.exit(result.status ?? 1);
