// Plain old syntax: this file must still be understood by the Node versions it turns away.
'use strict';

const major = Number(process.versions.node.split('.')[0]);
if (major < 20) {
  process.stderr.write(
    'collbench: Node.js 20 or newer is needed, this is ' +
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
  // From Node 22.1 on compiled code is kept between starts.
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache !== undefined) enableCompileCache();
  import('./setup.mjs')
    .then((setup) => setup.start())
    .catch((error) => {
      const isFull = error.code === 'EMFILE' || error.code === 'ENFILE';
      const why = isFull ? 'too many files are open; raise the limit (ulimit -n 1024)' : error.message;
      process.stderr.write(`collbench: it does not start: ${why}\n`);
      process.exitCode = 2;
    });
}
