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
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  filesOf,
  isCheckout,
  isCurrent,
  parts,
  projects,
  readText,
  root,
  textOf,
  writeAtomically,
} from './current.cjs';

/** A failure of the set-up whose reason is known, so that no stack trace is needed. `lines` are printed after the message. */
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

/** True if node_modules has all packages of the lock file except optional ones, according to npm's own record. */
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
 * Folder in which a part of the native code is, or will be built: in the package if it is up to date there or the package is
 * writable, otherwise a folder in ~/.cache that is named by version and sources.
 * @param name key of `parts`
 * @returns also the file that shows that the part is built, the file with the state of its sources, and whether it is up to date
 */
async function nativePlace(name) {
  const part = parts[name];
  const place = (dir, stamps) => {
    const output = join(dir, relative(dirname(parts.native.output), part.output));
    const stamp = join(stamps, basename(part.stamp));
    return { dir, output, stamp, current: isCurrent(part, { stamp, output }) };
  };
  const here = place(dirname(parts.native.output), dirname(part.stamp));
  if (here.current || isWritable(existsSync(join(root, 'build')) ? join(root, 'build') : root)) return here;
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256').update(root);
  for (const line of filesOf(textOf(part)).slice(1))
    hash.update(readFileSync(join(root, line.split('\t')[0])));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const base = join(cache, 'collbench', `${version}-${hash.digest('hex').slice(0, 12)}`);
  return place(join(base, 'native'), join(base, 'stamps'));
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

/** Progress of a build, "12 %", from the newest line of ninja ("[12/458]") or make ("[ 12%]") in its output; "" without one. */
export function progressIn(text) {
  const [, done, of] = text.match(/.*^\[ *(\d+)(?:%|\/(\d+))\]/ms) ?? [];
  if (done === undefined) return '';
  return `${of === undefined ? done : Math.floor((100 * done) / of)} %`;
}

/** Set-up steps (npm, TypeScript, native builds) that are running now; all are shown in one line of the terminal. */
const running = new Set();
let ticker = null;

function showRunning() {
  const texts = [...running].map(({ label, log, begin, seconds }) => {
    const percent = progressIn(readText(log).slice(begin));
    return `${label} ... ${percent === '' ? '' : `${percent}, `}${seconds()}`;
  });
  if (texts.length > 0) process.stderr.write(`\r\u001b[Ksetting up: ${texts.join('; ')}`);
}

/**
 * Runs a command in the folder of collbench and appends its output to the log file.
 * @param step the running step; it gets the child process
 * @returns exit status, or the name of the signal that ended it; -1 if the command could not start
 */
async function runLogged([command, ...args], log, step) {
  const { spawn } = await import('node:child_process');
  writeFileSync(log, `\n$ ${[command, ...args].join(' ')}\n`, { flag: 'a' });
  const output = openSync(log, 'a');
  const code = await new Promise((resolve) => {
    step.child = spawn(command, args, { cwd: root, stdio: ['ignore', output, output] });
    step.child.on('error', (error) => {
      writeFileSync(log, `${error.message}\n`, { flag: 'a' });
      resolve(-1);
    });
    step.child.on('close', (status, signal) => resolve(status ?? signal));
  });
  closeSync(output);
  return code;
}

function stopRunning(signal = 'SIGTERM') {
  for (const step of running) {
    step.isStopped = true;
    step.child?.kill(signal);
  }
}

/** Runs the commands of a set-up step one after the other. Their output goes to the log file, progress to stderr. */
async function runStep(label, log, commands) {
  const started = Date.now();
  const step = {
    label,
    log,
    begin: readText(log).length,
    seconds: () => `${Math.round((Date.now() - started) / 1000)} s`,
  };
  const isTerminal = process.stderr.isTTY;
  if (!isTerminal) process.stderr.write(`setting up: ${label} ...\n`);
  running.add(step);
  if (isTerminal) ticker ??= setInterval(showRunning, 1000);
  if (isTerminal) showRunning();
  const stop = (signal) => {
    stopRunning(signal);
    process.exit(130);
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  let ended = 'failed';
  try {
    for (const command of commands) {
      const code = await runLogged(command, log, step);
      if (step.isStopped) throw new SetupError(`setting up ${label} was stopped`);
      if (code === 0) continue;
      stopRunning();
      const tail = readText(log).trimEnd().split('\n').slice(-15);
      throw new SetupError(`setting up ${label} failed: ${command[0]} ended with ${code}`, [
        ...tail.map((line) => `  ${line}`),
        `Whole log: ${log}`,
      ]);
    }
    ended = step.seconds();
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    running.delete(step);
    if (running.size === 0) {
      clearInterval(ticker);
      ticker = null;
    }
    if (!step.isStopped)
      process.stderr.write(`${isTerminal ? '\r\u001b[K' : ''}setting up: ${label}: ${ended}\n`);
  }
}

/** Process id and start time of a live process. The start time distinguishes it from a later process with the same id. */
function identify(pid) {
  const stat = readText(`/proc/${pid}/stat`);
  return stat === '' ? null : `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
}

/** Runs `work` while holding a lock file in `folder`, so that one set-up runs at a time. A dead process's lock is ignored. */
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
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await runStep(step.label, log, [
    ...projects.map((project) => [process.execPath, tsc, '-p', join(root, project)]),
    [process.execPath, join(root, 'bin/bundle.mjs')],
  ]);
  writeAtomically(step.stamp, inputs);
}

/**
 * The command that configures a build folder. A folder that was configured with another generator or from another checkout is
 * removed first. Settings of earlier configurations that `options` does not mention stay, so tests and product are built with
 * the same flags.
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

/**
 * Builds one part of the native code (C++): the cpu engine alone, or all engines. The second build continues in the folder of
 * the first one and reuses its compiled files.
 */
async function setUpNative(log, name, place, options) {
  requireTools(['compiler', 'cmake', 'builder']);
  const { label, target } = parts[name];
  const configure = configureCommand(place.dir, ['-DCMAKE_BUILD_TYPE=Release', ...options]);
  const inputs = textOf(parts[name]);
  // Removes an older agent, which would otherwise be preferred to the one of the first part (orchestration/build.ts).
  // Its stamp goes with it: the same sources may come back, as with a branch, and the agent would be missing.
  if (name === 'first')
    for (const old of [join(place.dir, 'collbench-agent'), parts.native.stamp]) rmSync(old, { force: true });
  await runStep(label, log, [configure, buildCommand(place.dir, target)]);
  writeAtomically(place.output, '');
  writeAtomically(place.stamp, inputs);
}

/** Waits until all of these promises have ended, then throws the first error if one failed. */
async function together(...works) {
  const errors = [];
  await Promise.all(works.map((work) => work.catch((error) => errors.push(error))));
  if (errors.length > 0) throw errors[0];
}

/**
 * Brings npm packages, TypeScript and native code up to date.
 * @param typescript true if compiled TypeScript is needed
 * @param native native part to build, "first" or "native"; null = none
 * @param cmakeOptions used only if native code is built
 * @returns folder of the native build; undefined if none is needed
 */
export async function setUp({ typescript = true, native = 'native', cmakeOptions = [] } = {}) {
  const needsPackages =
    isCheckout && (!isCurrent(parts.packages) || (typescript && !isCurrent(parts.typescript)));
  const given = process.env.COLLBENCH_NATIVE_DIR;
  const find = () => (given ? { dir: given, current: true } : native === null ? null : nativePlace(native));
  const place = await find();
  const needsNative = place !== null && !place.current;
  if (needsPackages || needsNative) {
    const needed = [];
    if (needsPackages && !packagesMatchLock()) needed.push('npm');
    if (needsNative) needed.push('compiler', 'cmake', 'builder');
    requireTools(needed);
    const folder = needsNative ? dirname(place.dir) : join(root, 'build');
    await withLock(folder, async () => {
      const log = join(folder, 'setup.log');
      writeFileSync(log, '');
      const setUpScripts = async () => {
        if (!isCheckout) return;
        await setUpPackages(log);
        if (typescript) await setUpTypescript(log);
      };
      const build = async (name) => {
        const now = await nativePlace(name); // another start may have built it while this one waited
        if (!now.current) await setUpNative(join(folder, 'native.log'), name, now, cmakeOptions);
      };
      if (needsNative) writeFileSync(join(folder, 'native.log'), '');
      // npm waits for the network while the compiler works. Only the addon needs packages, so the rest is built meanwhile.
      const buildsFirst = needsNative && (native === 'first' || !isCurrent(parts.packages));
      await together(setUpScripts(), buildsFirst ? build('first') : Promise.resolve());
      if (needsNative && native === 'native') await build('native');
    });
  }
  return place?.dir;
}

function tell(error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`collbench: ${error.message}\n${error.lines.map((line) => `${line}\n`).join('')}`);
  process.exitCode = 1;
}

/**
 * Builds everything that is missing to run a command line. Failures with a known reason are printed.
 * @param needs native code that the command needs, from nativeNeeds(); null = none
 * @returns true if the command can run
 */
export async function prepare(needs) {
  try {
    if (needs?.part === 'native' && isCurrent(parts.first) && !isCurrent(parts.native))
      process.stderr.write(
        `setting up: ${needs.asker} needs ${parts[needs.part].label}, which is not built yet\n`,
      );
    const dir = await setUp({ native: needs?.part ?? null });
    if (dir !== undefined) process.env.COLLBENCH_NATIVE_DIR = dir;
    // The time budget of a run counts from here (bin/run-requests.ts), so that a build does not shorten the measurement.
    performance.mark('set up');
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
      native: !only || flags.has('--native') || flags.has('--print-native-dir') ? 'native' : null,
    });
    if (flags.has('--print-native-dir')) process.stdout.write(`${dir}\n`);
  } catch (error) {
    tell(error);
  }
}
