// `npm run bench:first-minute [-- --loaded]`: how long a new user waits for the first verified row. Uses a fresh clone of HEAD,
// no compiler cache, and README's main command under a terminal (`script` of util-linux). `--loaded` adds four busy loops. Exit
// 1 above the limit, which applies to two idle cores.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { packageRoot } from '../../results/package.ts';

const limitS = 90;
const words = ['allreduce', '--min', '8', '--max', '1G', '--transport', 'socket,sisci'];
const isLoaded = process.argv.includes('--loaded');
const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-first-minute-'));
const clone = path.join(folder, 'collbench');

/** Row of 8 B whose last column reports no wrong values. */
const row = /^ *8 .* [uµ]s .* 0\s*$/m;
/** Output of bin/setup.mjs when a part is built. */
const partReady = /setting up: ([^:\r\n]+): (\d+ s)/g;

/**
 * Runs the command until the first verified row.
 * @returns output up to this row, and the seconds until then
 * @throws {Error} if there is no such row
 */
async function firstRow(): Promise<{ printed: string; seconds: number }> {
  const began = performance.now();
  const line = `stty rows 40 cols 110; exec ${path.join(clone, 'bin/collbench')} ${words.join(' ')}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TERM: 'xterm', CCACHE_DISABLE: '1', SCCACHE_RECACHE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  try {
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      printed += stripVTControlCharacters(chunk);
      if (row.test(printed)) return { printed, seconds: (performance.now() - began) / 1000 };
    }
    throw new Error(`no verified row of 8 B:\n${printed}`);
  } finally {
    child.stdin.write('\u0003');
    child.kill();
  }
}

const loops = isLoaded ? Array.from({ length: 4 }, () => spawn(process.execPath, ['-e', 'for(;;);'])) : [];
try {
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', packageRoot, clone]);
  const { printed, seconds } = await firstRow();
  const ready = [...printed.matchAll(partReady)].map(([, part, took]) => `${part} ${took}`);
  const isLate = !isLoaded && seconds > limitS;
  if (isLate) process.exitCode = 1;
  console.log(
    [
      `collbench ${words.join(' ')}, fresh clone${isLoaded ? ', four busy loops beside it' : ''}: ` +
        `first verified row after ${seconds.toFixed(1)} s (limit ${limitS} s with nothing beside)${isLate ? ': TOO SLOW' : ''}`,
      ...ready.map((text) => `  ${text}`),
    ].join('\n'),
  );
} finally {
  for (const loop of loops) loop.kill();
  rmSync(folder, { recursive: true, force: true });
}
