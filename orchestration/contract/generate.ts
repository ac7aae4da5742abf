/**
 * Program for developers that writes the C++ files in native that come from TypeScript. With `--check` it writes nothing: it
 * lists outdated files, and its exit code is 1 if there are any.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../results/package.ts';
import { constantHeaders } from './constants.ts';
import type { GeneratedFile } from './cpp-text.ts';
import { messageFiles } from './messages.ts';

/** Returns the text in the format of the project's C++ files. Throws if clang-format is not installed or fails. */
const formatted = ({ file, text }: GeneratedFile): string =>
  execFileSync(path.join(packageRoot, 'node_modules/.bin/clang-format'), [`--assume-filename=${file}`], {
    cwd: packageRoot,
    input: text,
    encoding: 'utf8',
  });

/** Returns path and content of every generated C++ file, formatted. Nothing is written. */
const generatedFiles = (): GeneratedFile[] =>
  [...constantHeaders, ...messageFiles].map((one) => ({ file: one.file, text: formatted(one) }));

/**
 * Returns the paths, from the root of the project, of generated files that are missing or differ from what the program would write
 * now.
 */
export function outdatedFiles(): string[] {
  return generatedFiles().flatMap(({ file, text }) => {
    try {
      return readFileSync(path.join(packageRoot, file), 'utf8') === text ? [] : [file];
    } catch {
      return [file];
    }
  });
}

if (process.argv[1]?.endsWith('contract/generate.js')) {
  if (process.argv.includes('--check')) {
    const old = outdatedFiles();
    if (old.length > 0) {
      console.error(`not current: ${old.join(', ')}; run node dist/orchestration/contract/generate.js`);
      process.exitCode = 1;
    }
  } else
    for (const { file, text } of generatedFiles()) {
      mkdirSync(path.join(packageRoot, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(packageRoot, file), text);
    }
}
