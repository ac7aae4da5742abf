// Old syntax only: Node versions that are too old must be able to parse this file to print its message.
'use strict';

/** True if all that the command needs is built from the present sources. @param needs needed native code; null = none */
function isReady(needs) {
  const { isCheckout, isCurrent, parts, prebuiltFolder } = require('./current.cjs');
  if (isCheckout && !(isCurrent(parts.packages) && isCurrent(parts.typescript))) return false;
  if (needs === null || process.env.COLLBENCH_NATIVE_DIR) return true;
  const prebuilt = prebuiltFolder();
  if (prebuilt !== undefined) {
    process.env.COLLBENCH_NATIVE_DIR = prebuilt;
    return true;
  }
  if (!isCurrent(parts.native) && !(needs.part === 'first' && isCurrent(parts.first))) return false;
  process.env.COLLBENCH_NATIVE_DIR = require('node:path').dirname(parts.native.output);
  return true;
}

function carryOut() {
  const { parts } = require('./current.cjs');
  require('./app.cjs').runApp(parts.typescript.output);
}

function start() {
  const needs = require('./current.cjs').nativeNeeds(process.argv.slice(2));
  if (isReady(needs)) return carryOut();
  return import('./setup.mjs').then((setup) => setup.prepare(needs)).then((isDone) => isDone && carryOut());
}

function fail(error) {
  const isFull = error.code === 'EMFILE' || error.code === 'ENFILE';
  const why = isFull ? 'too many files are open; raise the limit (ulimit -n 1024)' : error.message;
  process.stderr.write(`collbench: it does not start: ${why}\n`);
  process.exitCode = 2;
}

const release = process.versions.node.split('.').map(Number);
if (release[0] < 20 || (release[0] === 20 && release[1] < 19)) {
  process.stderr.write(
    'collbench: Node.js 20.19 or newer is needed, this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ')\n' +
      '  Debian, Ubuntu   sudo apt-get install nodejs npm   (older releases: https://deb.nodesource.com)\n' +
      '  RHEL, Rocky      sudo dnf module reset nodejs && sudo dnf module install nodejs:20\n' +
      '  Fedora           sudo dnf install nodejs npm\n',
  );
  process.exitCode = 1;
} else {
  new Promise((resolve) => resolve(start())).catch(fail);
}
