// Runs the app with compiled code that earlier starts stored, because compiling takes longer than most commands. Node's own
// compile cache needs version 22.1 or newer, and uses a folder to which other users may write.
'use strict';

const { isAscii } = require('node:buffer');
const { closeSync, fstatSync, openSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { writeAtomically } = require('./current.cjs');

/**
 * Bytes of the header before the compiled code in a cache file. The header has the stamp of the app's file, and the commands
 * whose functions were compiled.
 */
const headerBytes = 4096;

/**
 * Compiled code is stored only if the command ends within this many seconds. Later, V8 has discarded the code of functions that
 * ran only at the start.
 */
const keptWithinS = 5;

/**
 * Reads the app's JavaScript file and its stamp (path, size, times, inode) through one open file, so that both belong to the same
 * build even if another process builds meanwhile.
 */
function readApp(file) {
  const opened = openSync(file, 'r');
  try {
    const { size, mtimeMs, ctimeMs, ino } = fstatSync(opened);
    const bytes = readFileSync(opened);
    return {
      text: bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8'),
      stamp: [file, size, mtimeMs, ctimeMs, ino].join(' '),
    };
  } finally {
    closeSync(opened);
  }
}

/**
 * Reads the cached compiled code if it was compiled from the app with this stamp; otherwise nothing. V8 itself checks that its
 * version and flags match.
 */
function readCompiled(file, stamp) {
  try {
    const content = readFileSync(file);
    const header = JSON.parse(content.toString('latin1', 0, headerBytes));
    if (header.stamp === stamp) return { commands: header.commands, code: content.subarray(headerBytes) };
  } catch {
    // No code is stored, or the file is incomplete.
  }
  return { commands: [] };
}

function keep(file, header, code) {
  try {
    const text = JSON.stringify(header).padEnd(headerBytes);
    if (text.length === headerBytes)
      writeAtomically(file, Buffer.concat([Buffer.from(text, 'latin1'), code]));
  } catch {
    // The folder is read-only: the next start compiles again.
  }
}

/**
 * Key under which compiled functions are stored: the command, and whether help is requested. Command lines with the same key
 * use about the same functions.
 */
function commandOf(words) {
  const asksHelp = words.some((word) => ['--help', '-h'].includes(word));
  return `${words[0] || '--help'}${asksHelp ? ' --help' : ''}`;
}

/**
 * Bytes of byte code that a function runs before V8 optimizes it; V8's default is 132 KB. The limit is higher here, because
 * most commands end before optimized code saves time: a report needs a third less processor time. In loops of seconds,
 * optimization only starts 10 ms later.
 */
const interruptBudget = 1_000_000;

/** The V8 of Node.js 20. Later ones count calls instead, and print an error for the flag. */
const v8WithBudget = '11.3.';

/**
 * Runs the command line in this process with the app's JavaScript file and its cached compiled code.
 * @param file the app, a JavaScript file that holds one function, like the wrapper of a CommonJS module
 */
exports.runApp = function runApp(file, command = commandOf(process.argv.slice(2))) {
  // Flags are set before code is compiled or read, because V8 accepts compiled code only for equal flags.
  if (process.versions.v8.startsWith(v8WithBudget))
    setFlagsFromString(`--interrupt-budget=${interruptBudget}`);
  load(file, command);
};

const loaded = new Map();

exports.load = load;

/** Loads the app's file, or a part that it requires as `./NAME.cjs`, with cached compiled code; returns its exports. */
function load(file, command) {
  const known = loaded.get(file);
  if (known !== undefined) return known.exports;
  const { text, stamp } = readApp(file);
  const store = file.replace(/cjs$/, `${process.version}-${process.arch}.compiled`);
  const { commands, code } = readCompiled(store, stamp);
  const script = new Script(text, { filename: file, cachedData: code });
  const isKept = code !== undefined && script.cachedDataRejected !== true;
  process.once('exit', (status) => {
    // Exit code 1 is an invalid command line: the functions that it used do not predict later starts.
    if (status === 1 || process.uptime() > keptWithinS) return;
    if (isKept && commands.includes(command)) return;
    const known = new Set([...(isKept ? commands : []), command]);
    keep(store, { stamp, commands: [...known] }, script.createCachedData());
  });
  const module = { exports: {} };
  loaded.set(file, module);
  const packages = createRequire(file);
  const part = (name) => (name.startsWith('./') ? load(join(dirname(file), name), command) : packages(name));
  script.runInThisContext()(module.exports, part, module, file, dirname(file));
  return module.exports;
}
