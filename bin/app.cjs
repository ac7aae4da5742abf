// Runs the app with the compiled code of earlier starts: to compile it anew takes longer than most commands. Node's own
// cache of that kind serves no version below 22.1, and lies where other users may write.
'use strict';

const { isAscii } = require('node:buffer');
const { closeSync, fstatSync, openSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { writeAtomically } = require('./current.cjs');

/** Before the code in the file: of which app it is, and which commands it has the functions of. */
const headerBytes = 4096;

/** Later, V8 has dropped the code of functions that ran only at the start. */
const keptWithinS = 5;

/** One open file, so that text and stamp belong together while another process builds. */
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

/** Compiled code of exactly this app; V8 itself checks that it is of the same V8 and of equal flags. */
function readCompiled(file, stamp) {
  try {
    const content = readFileSync(file);
    const header = JSON.parse(content.toString('latin1', 0, headerBytes));
    if (header.stamp === stamp) return { commands: header.commands, code: content.subarray(headerBytes) };
  } catch {
    // None was kept, or the file is torn.
  }
  return { commands: [] };
}

function keep(file, header, code) {
  try {
    const text = JSON.stringify(header).padEnd(headerBytes);
    if (text.length === headerBytes)
      writeAtomically(file, Buffer.concat([Buffer.from(text, 'latin1'), code]));
  } catch {
    // A folder that may only be read: the next start compiles again.
  }
}

/** Which functions a command line needs, roughly. */
function commandOf(words) {
  const asksHelp = words.some((word) => ['--help', '-h'].includes(word));
  return `${words[0] || '--help'}${asksHelp ? ' --help' : ''}`;
}

/**
 * Bytes of byte code that a function runs before V8 optimizes it, in place of 132 KB. Most commands end before optimized
 * code has paid for itself: a report takes a third less processor time. A loop of seconds is optimized 10 ms later.
 */
const interruptBudget = 1_000_000;

/** Runs the app, a file of one function as CommonJS wraps modules, in this process. */
exports.runApp = function runApp(file, command = commandOf(process.argv.slice(2))) {
  // Before code is compiled or read: V8 keeps compiled code for equal flags only.
  setFlagsFromString(`--interrupt-budget=${interruptBudget}`);
  load(file, command);
};

const loaded = new Map();

exports.load = load;

/** Exports of the app, or of a part beside it that the app asks for as `./NAME.cjs`. */
function load(file, command) {
  const known = loaded.get(file);
  if (known !== undefined) return known.exports;
  const { text, stamp } = readApp(file);
  const store = file.replace(/cjs$/, `${process.version}-${process.arch}.compiled`);
  const { commands, code } = readCompiled(store, stamp);
  const script = new Script(text, { filename: file, cachedData: code });
  const isKept = code !== undefined && script.cachedDataRejected !== true;
  process.once('exit', (status) => {
    // 1 is a command line that is none: what it needed says nothing of the next.
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
