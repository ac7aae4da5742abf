// Brings npm packages, TypeScript build and native build up to date, then starts the command in this same process.
// Plain JavaScript without packages: in a fresh checkout nothing else is there yet.
//   node bin/setup.mjs                      everything, then stop
//   node bin/setup.mjs --ts | --native      only that part
//   node bin/setup.mjs --print-native-dir   where agent and addon are (built first if need be)
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  filesOf,
  isCheckout,
  isCurrent,
  parts,
  readText,
  root,
  textOf,
  writeAtomically,
} from './current.cjs';

/** Set-up failed for a reason worth telling; `lines` follow the message. */
class SetupError extends Error {
  constructor(message, lines = []) {
    super(message);
    this.lines = lines;
  }
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** node_modules holds exactly what the lock file names, as npm itself recorded it. */
function packagesMatchLock() {
  const installed = readText(join(root, 'node_modules/.package-lock.json'));
  if (installed === '') return false;
  try {
    const have = JSON.parse(installed).packages;
    const want = JSON.parse(readText(join(root, 'package-lock.json'))).packages;
    return Object.entries(want).every(
      ([path, entry]) =>
        path === '' ||
        entry.optional ||
        (have[path] !== undefined && have[path].integrity === entry.integrity),
    );
  } catch {
    return false;
  }
}

/**
 * Where native parts are or will be built. A package folder that is current or writable is used; a read-only global
 * installation builds once per user and content below ~/.cache.
 */
async function nativePlace() {
  const place = (dir, stamp) => {
    const output = join(dir, 'collbench-built');
    return { dir, output, stamp, current: isCurrent(parts.native, { stamp, output }) };
  };
  const here = place(dirname(parts.native.output), parts.native.stamp);
  if (here.current || isWritable(existsSync(join(root, 'build')) ? join(root, 'build') : root)) return here;
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256').update(root);
  for (const line of filesOf(textOf(parts.native)).slice(1))
    hash.update(readFileSync(join(root, line.split('\t')[0])));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const base = join(cache, 'collbench', `${version}-${hash.digest('hex').slice(0, 12)}`);
  return place(join(base, 'native'), join(base, 'stamp'));
}

function onPath(...names) {
  for (const name of names.filter(Boolean)) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = name.includes('/') ? name : join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // not here
      }
    }
  }
  return null;
}

const tools = {
  npm: { what: 'npm', find: () => onPath('npm'), apt: 'npm', dnf: 'npm' },
  compiler: {
    what: 'a C++20 compiler',
    find: () => onPath(process.env.CXX, 'c++', 'g++', 'clang++'),
    apt: 'g++',
    dnf: 'gcc-c++',
  },
  cmake: { what: 'CMake', find: () => onPath('cmake'), apt: 'cmake', dnf: 'cmake' },
  builder: {
    what: 'make or ninja',
    find: () => onPath('ninja', 'ninja-build', 'make', 'gmake'),
    apt: 'make',
    dnf: 'make',
  },
};

function requireTools(names) {
  const missing = names.map((name) => tools[name]).filter((tool) => tool.find() === null);
  if (missing.length === 0) return;
  throw new SetupError(`setup failed: ${missing.map((tool) => tool.what).join(', ')} not found on PATH`, [
    `  Debian, Ubuntu   sudo apt-get install ${missing.map((tool) => tool.apt).join(' ')}`,
    `  RHEL, Fedora     sudo dnf install ${missing.map((tool) => tool.dnf).join(' ')}`,
  ]);
}

/** How far a build is by what it has printed, as ninja ("[12/458]") and make ("[ 12%]") do: "12 %"; "" where it does not say. */
export function progressIn(text) {
  const [, done, of] = text.match(/.*^\[ *(\d+)(?:%|\/(\d+))\]/ms) ?? [];
  if (done === undefined) return '';
  return `${of === undefined ? done : Math.floor((100 * done) / of)} %`;
}

/** Runs one tool with its output kept in the log; the progress text goes to stderr. */
async function runStep(label, log, commands, environment = process.env) {
  const { spawn } = await import('node:child_process');
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const isTerminal = process.stderr.isTTY;
  process.stderr.write(`setting up: ${label} ...`);
  const show = () => {
    const percent = progressIn(readText(log).slice(begin));
    process.stderr.write(`\rsetting up: ${label} ... ${percent === '' ? '' : `${percent}, `}${seconds()}`);
  };
  const begin = readText(log).length;
  const ticker = isTerminal ? setInterval(show, 1000) : null;
  try {
    for (const [command, ...args] of commands) {
      writeFileSync(log, `\n$ ${[command, ...args].join(' ')}\n`, { flag: 'a' });
      const output = openSync(log, 'a');
      const code = await new Promise((resolve) => {
        const child = spawn(command, args, {
          cwd: root,
          env: environment,
          stdio: ['ignore', output, output],
        });
        const stop = (signal) => {
          child.kill(signal);
          process.exit(130);
        };
        process.once('SIGINT', stop);
        process.once('SIGTERM', stop);
        const settle = (result) => {
          process.off('SIGINT', stop);
          process.off('SIGTERM', stop);
          resolve(result);
        };
        child.on('error', (error) => {
          writeFileSync(log, `${error.message}\n`, { flag: 'a' });
          settle(-1);
        });
        child.on('close', (status, signal) => settle(status ?? signal));
      });
      closeSync(output);
      if (code !== 0) {
        process.stderr.write(' failed\n');
        const tail = readText(log).trimEnd().split('\n').slice(-15);
        throw new SetupError(`setting up ${label} failed: ${command} ended with ${code}`, [
          ...tail.map((line) => `  ${line}`),
          `Whole log: ${log}`,
        ]);
      }
    }
  } finally {
    if (ticker !== null) clearInterval(ticker);
  }
  process.stderr.write(isTerminal ? `\r\u001b[Ksetting up: ${label} ... ${seconds()}\n` : ` ${seconds()}\n`);
}

/** Process id and start time of a live process, so that a reused id is not taken for the old holder. */
function identify(pid) {
  const stat = readText(`/proc/${pid}/stat`);
  return stat === '' ? null : `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
}

/** One set-up at a time; the lock of a process that is gone counts as free. */
async function withLock(folder, work) {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 'setup.lock');
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, identify(process.pid) ?? `${process.pid}`);
  let told = false;
  try {
    for (;;) {
      try {
        linkSync(mine, lock); // appears complete or not at all
        break;
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      const holder = readText(lock);
      const pid = Number(holder.split(' ')[0]);
      if (holder !== '' && identify(pid) !== holder) {
        const stale = `${lock}.stale.${process.pid}`;
        try {
          renameSync(lock, stale);
          unlinkSync(stale);
        } catch {
          // another start was quicker
        }
        continue;
      }
      if (!told) process.stderr.write(`setting up: waiting for process ${pid}, which is doing it already\n`);
      told = true;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    unlinkSync(mine);
  }
  const release = () => {
    try {
      unlinkSync(lock);
    } catch {
      // already gone
    }
  };
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

async function setUpPackages(log) {
  const step = parts.packages;
  if (isCurrent(step)) return;
  if (!packagesMatchLock()) {
    requireTools(['npm']);
    await runStep(step.label, log, [['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error']]);
  }
  writeAtomically(step.stamp, textOf(step));
}

async function setUpTypescript(log) {
  const step = parts.typescript;
  if (isCurrent(step)) return;
  const inputs = textOf(step);
  await runStep(step.label, log, [
    [process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.json')],
    [process.execPath, join(root, 'bin/bundle.mjs')],
  ]);
  writeAtomically(step.stamp, inputs);
}

/**
 * Configures a build folder; one of another generator or checkout is begun anew. What was set there before and is not in
 * `options` stays, so that tests and product are built with the same flags.
 * @returns the command
 */
export function configureCommand(dir, options) {
  const cache = readText(join(dir, 'CMakeCache.txt'));
  const generator = onPath('ninja', 'ninja-build') === null ? 'Unix Makefiles' : 'Ninja';
  const fits = [
    `CMAKE_GENERATOR:INTERNAL=${generator}`,
    `CMAKE_HOME_DIRECTORY:INTERNAL=${join(root, 'native')}`,
  ];
  if (cache !== '' && !fits.every((line) => cache.includes(`${line}\n`)))
    rmSync(dir, { recursive: true, force: true });
  return ['cmake', '-S', join(root, 'native'), '-B', dir, '-G', generator, ...options];
}

export function buildCommand(dir, ...targets) {
  return ['cmake', '--build', dir, '--parallel', String(availableParallelism()), '--target', ...targets];
}

async function setUpNative(log, place, options) {
  requireTools(['compiler', 'cmake', 'builder']);
  const configure = configureCommand(place.dir, ['-DCMAKE_BUILD_TYPE=Release', ...options]);
  const inputs = textOf(parts.native);
  await runStep(parts.native.label, log, [configure, buildCommand(place.dir, 'product')]);
  writeAtomically(place.output, '');
  writeAtomically(place.stamp, inputs);
}

/**
 * Brings the wanted parts up to date. `cmakeOptions` count where native code is not up to date.
 * @returns folder of the native build
 */
export async function setUp({ typescript = true, native = true, cmakeOptions = [] } = {}) {
  const needsPackages =
    isCheckout && (!isCurrent(parts.packages) || (typescript && !isCurrent(parts.typescript)));
  const given = process.env.COLLBENCH_NATIVE_DIR;
  const place = given ? { dir: given, current: true } : native ? await nativePlace() : null;
  if (needsPackages || (place !== null && !place.current)) {
    const needed = [];
    if (needsPackages && !packagesMatchLock()) needed.push('npm');
    if (place !== null && !place.current) needed.push('compiler', 'cmake', 'builder');
    requireTools(needed);
    const folder = place === null || place.current ? join(root, 'build') : dirname(place.dir);
    await withLock(folder, async () => {
      const log = join(folder, 'setup.log');
      writeFileSync(log, '');
      if (isCheckout) {
        await setUpPackages(log);
        if (typescript) await setUpTypescript(log);
      }
      if (place !== null && !place.current) {
        const now = await nativePlace(); // another start may have built it while this one waited
        if (!now.current) await setUpNative(log, now, cmakeOptions);
      }
    });
  }
  return place?.dir;
}

function tell(error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`collbench: ${error.message}\n${error.lines.map((line) => `${line}\n`).join('')}`);
  process.exitCode = 1;
}

/** Sets up what a start lacks. @returns whether the command can be carried out */
export async function prepare(needsNative) {
  try {
    const dir = await setUp({ native: needsNative });
    if (dir !== undefined) process.env.COLLBENCH_NATIVE_DIR = dir;
    return true;
  } catch (error) {
    tell(error);
    return false;
  }
}

if (
  process.argv[1] !== undefined &&
  realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url))
) {
  const flags = new Set(process.argv.slice(2));
  const only = flags.has('--ts') || flags.has('--native');
  try {
    const dir = await setUp({
      typescript: !only || flags.has('--ts'),
      native: !only ? true : flags.has('--native') || flags.has('--print-native-dir'),
    });
    if (flags.has('--print-native-dir')) process.stdout.write(`${dir}\n`);
  } catch (error) {
    tell(error);
  }
}
