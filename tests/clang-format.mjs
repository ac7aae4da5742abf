// Checks (or with --write applies) clang-format on all native sources, with the version pinned in package.json.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const files = ['native', 'tests']
  .flatMap((room) =>
    readdirSync(path.join(root, room), { recursive: true }).map((file) => path.join(room, file)),
  )
  .filter((file) => /\.(cc|h|c|cu)$/.test(file));
const mode = process.argv.includes('--write') ? ['-i'] : ['--dry-run', '--Werror'];
const result = spawnSync('npx', ['clang-format', ...mode, ...files], { cwd: root, stdio: 'inherit' });
process.exit(result.status ?? 1);
