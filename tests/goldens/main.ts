// Renders everything stored in the repository through the public command line, and compares two such renderings.
//   npm run goldens -- --out DIR [--bin PATH/bin/collbench]
//   npm run goldens -- --compare BEFORE AFTER [--kinds text,csv] [--ignore-column id] [--lines 3]
//   npm run goldens -- --against REV     renders with that commit and with this tree, and compares
// --only WORD selects inputs whose name contains WORD (a run, compare/, history, topo); all inputs take a minute or two.
// The exit code is 0 if nothing differs, else 4. Rendering needs no native code.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './compare.ts';
import { type GoldenKind, kinds } from './jobs.ts';
import { render } from './render.ts';
import { root } from './work.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    bin: { type: 'string', default: path.join(root, 'bin/collbench') },
    compare: { type: 'boolean' },
    against: { type: 'string' },
    only: { type: 'string', default: '' },
    kinds: { type: 'string', default: kinds.join(',') },
    'ignore-column': { type: 'string', multiple: true, default: [] },
    lines: { type: 'string', default: '3' },
  },
});

function chosenKinds(): GoldenKind[] {
  const words = values.kinds.split(',');
  const unknown = words.find((word) => !kinds.some((kind) => kind === word));
  if (unknown !== undefined)
    throw new Error(`--kinds ${unknown}: no such kind; there are ${kinds.join(', ')}`);
  return kinds.filter((kind) => words.includes(kind));
}

function differ(before: string, after: string): void {
  const ignored = new Set(values['ignore-column'].flatMap((words) => words.split(',')));
  const count = compare(before, after, {
    kinds: chosenKinds(),
    only: values.only,
    ignored,
    shown: Number(values.lines),
    print: (line) => console.log(line),
  });
  console.log(count === 0 ? 'nothing differs' : `${count} files differ`);
  process.exitCode = count === 0 ? 0 : 4;
}

async function rendered(bin: string, out: string): Promise<void> {
  const begin = performance.now();
  const { commands, files } = await render(path.resolve(bin), path.resolve(out), values.only);
  console.log(
    `${out}: ${files} files of ${commands} commands, ${((performance.now() - begin) / 1000).toFixed(0)} s`,
  );
}

/** Gives another checkout the packages of this tree if it needs the same. */
function sharePackages(tree: string): void {
  const [needed, installed] = [tree, root].map((at) =>
    readFileSync(path.join(at, 'package-lock.json'), 'utf8'),
  );
  if (needed === installed) symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
}

/** Compares another revision with this tree. Both render the inputs of this tree; only the program differs. */
async function against(revision: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'goldens-against-'));
  const tree = path.join(folder, 'tree');
  try {
    execFileSync('git', ['worktree', 'add', '--quiet', '--detach', tree, revision], {
      cwd: root,
      stdio: 'inherit',
    });
    sharePackages(tree);
    const [before, after] = [path.join(folder, 'before'), path.join(folder, 'after')];
    await rendered(path.join(tree, 'bin/collbench'), before);
    await rendered(values.bin, after);
    differ(before, after);
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', tree], { cwd: root });
    rmSync(folder, { recursive: true, force: true });
  }
}

const [before, after] = positionals;
if (values.against !== undefined) await against(values.against);
else if (values.compare === true && before !== undefined && after !== undefined) differ(before, after);
else if (values.out !== undefined) await rendered(values.bin, values.out);
else {
  console.error('goldens: --out DIR, --compare BEFORE AFTER or --against REV');
  process.exitCode = 1;
}
