// `node tests/runner/together.mjs FILE ...` runs several test files in one process: each start of a process, and each
// import of the same modules, costs as much as most unit tests.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

for (const file of process.argv.slice(2)) await import(pathToFileURL(path.resolve(file)).href);
