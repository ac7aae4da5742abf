// test: up to 120 s
import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster } from '../cluster/bed.ts';
import { programWithoutLibrary } from '../cluster/fault-programs.ts';
import {
  blockAllButSsh,
  type FaultUndo,
  forgetNeighbour,
  homeFull,
  homeNoExec,
  homeReadOnly,
  hostileBashrc,
  linkDown,
  loginRefused,
  packetsDropped,
  slowShell,
  sshdDown,
  tmpFull,
  wrongHostKey,
} from '../cluster/faults.ts';
import type { TestHost } from '../cluster/host.ts';
import { root } from './harness.ts';
import { applyToHost, noUndo, type TestFault, testFaults } from './support/fault.ts';

// Faults that exist before a command starts.

const both =
  (...faults: ((host: TestHost) => Promise<FaultUndo>)[]) =>
  async (_: Cluster, host: TestHost): Promise<FaultUndo> => {
    const undo: FaultUndo[] = [];
    for (const fault of faults) undo.push(await fault(host));
    return async () => {
      for (const one of undo.reverse()) await one();
    };
  };

const faults: TestFault[] = [
  { name: 'sshd is down', before: applyToHost(sshdDown), code: 2, says: /node02.*refuses connections/s },
  {
    name: 'another host key',
    before: applyToHost(wrongHostKey),
    code: 2,
    says: /host key of node02 has CHANGED/,
  },
  {
    name: 'the login is refused',
    before: applyToHost(loginRefused),
    code: 2,
    says: /node02[\s\S]*(refused|accept)/i,
  },
  {
    name: 'the cable is out',
    before: both(linkDown, forgetNeighbour),
    code: 2,
    says: /node02[\s\S]*no machine answers/,
  },
  { name: 'packets vanish', before: applyToHost(packetsDropped), code: 2, says: /node02/ },
  {
    name: 'only ssh passes: ranks cannot meet',
    before: applyToHost(blockAllButSsh),
    code: 2,
    says: /setting up socket|connect/i,
    words: ['--timeout', '5'],
  },
  {
    name: 'a name that nobody knows',
    before: async () => ({ undo: noUndo, words: ['--hosts', 'node01,nobody.invalid'] }),
    code: 2,
    says: /nobody\.invalid/,
  },
  { name: 'the home is full', before: applyToHost(homeFull), code: 0, says: null },
  { name: 'the home cannot be written', before: applyToHost(homeReadOnly), code: 0, says: null },
  { name: 'the home may not hold programs', before: applyToHost(homeNoExec), code: 0, says: null },
  { name: 'home and /tmp are full', before: both(homeFull, tmpFull), code: 0, says: null },
  {
    name: 'the login shell talks',
    before: applyToHost((host) => hostileBashrc(host)),
    code: 0,
    says: null,
    after: async (run) =>
      assert.match(
        await readFile(path.join(run, 'logs', 'node02.log'), 'utf8'),
        / node02 agent: quota: 99 %$/m,
      ),
  },
  { name: 'the login shell is slow', before: applyToHost((host) => slowShell(host, 2)), code: 0, says: null },
  {
    name: 'an agent that needs a library which is not there',
    before: async (_bed, _host, folder) => ({
      undo: noUndo,
      words: ['--agent', await programWithoutLibrary(folder)],
    }),
    code: 2,
    says: /libnothere\.so/,
  },
  {
    name: 'an agent of another architecture',
    before: async (_bed, _host, folder) => ({
      undo: noUndo,
      words: ['--agent', await foreignAgent(folder)],
    }),
    code: 2,
    says: /architecture|aarch64|arm64/i,
  },
];

/** Writes a copy of the agent whose ELF header names arm64 as the machine. Returns the path of the copy. */
async function foreignAgent(folder: string): Promise<string> {
  const copy = path.join(folder, 'collbench-agent');
  const native = process.env.COLLBENCH_NATIVE_DIR ?? path.join(root, 'build', 'native');
  await copyFile(path.join(native, 'collbench-agent'), copy);
  const bytes = await readFile(copy);
  bytes.writeUInt16LE(183, 18);
  await writeFile(copy, bytes);
  return copy;
}

testFaults(faults);
