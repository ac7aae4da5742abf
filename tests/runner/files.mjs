// Finds the test files and reads the properties that each states in a comment line:
//   // test: [core|e2e|nightly,] [alone,] [own process,] [soak,] [up to 90 s]
// `alone`: no other test runs at the same time, because the test measures or depends on the load. `own process`: a unit test
// that changes state of its process (environment, folder, hooks outside of tests). Other unit tests of a room share processes,
// unless they state a time, run at night, too, or may start agents. `soak`: the test runs once more at night, for much longer.
// `core`: an end-to-end test that `npm test` runs, because changes break it most often; `npm run test:all` also runs the
// others. Files below tests/ are end-to-end tests, all others are unit tests, unless they state otherwise.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';

/** Seconds that a file of each tier may take on two idle cores, unless it states another time. */
const allowance = { unit: 10, core: 30, e2e: 30, nightly: 600 };

/** Rooms whose tests start commands, agents and servers, which could outlive the test that started them. */
const startsProcesses = /^(bin|orchestration|native)\//;

const folders = ['bin', 'suites', 'orchestration', 'results', 'reports', 'native', 'tests'];

/** @returns {{ tier: string, isAlone: boolean, hasOwnProcess: boolean, isSoak: boolean, allowedS: number }} */
export function readTraits(file, text) {
  const words = /^\/\/ test: (.+)$/m.exec(text)?.[1]?.split(/, */) ?? [];
  const tier = file.startsWith('tests/') ? 'e2e' : 'unit';
  const traits = { tier, isAlone: false, hasOwnProcess: false, isSoak: false, allowedS: null };
  for (const word of words) {
    const time = /^up to (\d+) (s|min)$/.exec(word);
    if (time !== null) traits.allowedS = Number(time[1]) * (time[2] === 's' ? 1 : 60);
    else if (word === 'alone') traits.isAlone = true;
    else if (word === 'own process') traits.hasOwnProcess = true;
    else if (word === 'soak') traits.isSoak = true;
    else if (word in allowance) traits.tier = word;
    else throw new Error(`${file}: '${word}' is unknown in a test line (see tests/runner/files.mjs)`);
  }
  traits.hasOwnProcess ||=
    traits.tier !== 'unit' ||
    traits.isAlone ||
    traits.isSoak ||
    traits.allowedS !== null ||
    startsProcesses.test(file);
  return { ...traits, allowedS: traits.allowedS ?? allowance[traits.tier] };
}

/** All test files, sorted, with their traits. `built` is the compiled file that Node runs. */
export function testFiles() {
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true }).map((file) => path.join(folder, file)),
    )
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .map((file) => ({
      file,
      built: path.join('dist', file.replace(/\.ts$/, '.js')),
      ...readTraits(file, readFileSync(path.join(root, file), 'utf8')),
    }));
}
