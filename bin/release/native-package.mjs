// Packages of prebuilt native parts, @collbench/linux-x64 and @collbench/linux-arm64: all that a native build has for a
// command, stripped, for glibc 2.28 and newer. bin/current.cjs finds them.
//   node bin/release/native-package.mjs x64|arm64 FOLDER
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../current.cjs';
import { buildCommand, configureCommand } from '../setup.mjs';
import { pack } from './pack.mjs';

/** Programs in the package; node and the launchers start them. */
const programs = ['collbench-agent', 'collbench-conformance'];

/**
 * Files of a package, and their paths in a build folder. Libraries are beside the agent, replacements for vendor libraries in a
 * folder of their own.
 */
export const shippedFiles = {
  ...Object.fromEntries([...programs, 'collbench.node'].map((name) => [name, name])),
  'libsoftntb.so': 'softntb/libsoftntb.so',
  'libsoftmlx5.so': 'softmlx5/libsoftmlx5.so',
  'libsoftmlx5-sysfs.so': 'softmlx5/libsoftmlx5-sysfs.so',
  'libnccl-net-sisci.so': 'net_plugin/libnccl-net-sisci.so',
  'libnccl-profiler-collbench.so': 'recorder/libnccl-profiler-collbench.so',
  'libcollbench-record.so': 'recorder/libcollbench-record.so',
  ...Object.fromEntries(
    ['libibverbs.so', 'libibverbs.so.1', 'libmlx5.so', 'libmlx5.so.1'].map((name) => [
      `lookalikes/${name}`,
      `softmlx5/lookalikes/${name}`,
    ]),
  ),
};

/** GNU machine name of each architecture, which Node names differently. */
const toolchains = {
  x64: { machine: 'x86_64' },
  arm64: { machine: 'aarch64' },
};

/** Name of the strip program and CMake options for an architecture; Debian's cross compiler if it is not this machine's. */
function toolsFor(architecture) {
  const { machine } = toolchains[architecture];
  const isCross = process.arch !== architecture;
  const prefix = isCross ? `${machine}-linux-gnu-` : '';
  const cross = isCross
    ? [
        '-DCMAKE_SYSTEM_NAME=Linux',
        `-DCMAKE_SYSTEM_PROCESSOR=${machine}`,
        `-DCMAKE_C_COMPILER=${prefix}gcc`,
        `-DCMAKE_CXX_COMPILER=${prefix}g++`,
      ]
    : [];
  return { strip: `${prefix}strip`, options: cross };
}

const run = ([command, ...words]) =>
  execFileSync(command, words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/**
 * Builds the native parts for an architecture.
 * @returns the build folder, which later calls reuse
 */
export function buildNative(architecture) {
  const build = join(root, 'build/release', architecture);
  const { options } = toolsFor(architecture);
  run(
    configureCommand(build, [
      '-DCMAKE_BUILD_TYPE=Release',
      '-DCOLLBENCH_TESTS=OFF',
      // Paths are removed, so that the bytes do not depend on the checkout's folder.
      `-DCMAKE_CXX_FLAGS=-ffile-prefix-map=${root}=.`,
      ...options,
    ]),
  );
  run(buildCommand(build, 'product'));
  return build;
}

/** Copies the files of a native build into the folder of an npm package, and removes their debug symbols. */
function layOut(build, folder, architecture) {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: `@collbench/linux-${architecture}`,
    version,
    description: `Native parts of collbench for Linux on ${architecture}`,
    license,
    os: ['linux'],
    cpu: [architecture],
    libc: ['glibc'],
    files: [...Object.keys(shippedFiles), 'LICENSE'],
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o644 });
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  for (const [file, built] of Object.entries(shippedFiles)) {
    const target = join(folder, file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(realpathSync(join(build, built)), target);
    run([toolsFor(architecture).strip, '--strip-unneeded', target]);
    chmodSync(target, programs.includes(file) ? 0o755 : 0o644);
  }
}

/**
 * Builds the package of one architecture.
 * @param architecture x64 or arm64, as Node names them; another one than this machine's needs Debian's cross compiler
 * @returns path of the tarball
 */
export async function buildNativePackage(architecture, outputFolder) {
  const build = buildNative(architecture);
  const folder = mkdtempSync(join(tmpdir(), 'collbench-native-'));
  try {
    layOut(build, folder, architecture);
    mkdirSync(outputFolder, { recursive: true });
    return pack(folder, outputFolder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [architecture, outputFolder] = process.argv.slice(2);
  console.log(await buildNativePackage(architecture, outputFolder));
}
