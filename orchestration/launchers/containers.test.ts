// test: own process
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { explainCommand } from './command-failures.ts';
import { containerTemplate, findContainers, machinesOfContainers } from './containers.ts';
import { StartError } from './launcher.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-containers-'));
const systemPath = process.env.PATH;
process.env.PATH = `${folder}:/usr/bin:/bin`;
after(() => {
  process.env.PATH = systemPath;
  rmSync(folder, { recursive: true });
});

/** Writes a program that prints these texts and ends with the code. */
function program(name: string, { stdout = '', stderr = '', code = 0 }): void {
  writeFileSync(path.join(folder, `${name}.out`), stdout);
  writeFileSync(path.join(folder, `${name}.err`), stderr);
  const lines = ['#!/bin/sh', `cat ${folder}/${name}.out`, `cat ${folder}/${name}.err >&2`, `exit ${code}`];
  writeFileSync(path.join(folder, name), `${lines.join('\n')}\n`, { mode: 0o755 });
}

const none = { namespace: null, selector: null, container: null };
const pod = (name: string, phase = 'Running', more: object = {}) => ({
  metadata: { name, ...(phase === 'Terminating' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
  status: { phase: phase === 'Terminating' ? 'Running' : phase, ...more },
});
const pods = (...items: object[]) => program('kubectl', { stdout: JSON.stringify({ items }) });

test('running pods, in the order of their numbers; those that ended or are being deleted are left out', async () => {
  pods(pod('w-10'), pod('w-9'), pod('old', 'Succeeded'), pod('bad', 'Failed'), pod('going', 'Terminating'));
  assert.deepEqual(await findContainers('kubernetes', { ...none, selector: 'app=x' }), ['w-9', 'w-10']);
});

test('a pod that does not run yet is an error with the reason of Kubernetes, never a run with fewer pods', async () => {
  const waiting = { state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } };
  pods(pod('w-0'), pod('w-1', 'Pending', { containerStatuses: [{ name: 'main', ...waiting }] }));
  await assert.rejects(findContainers('kubernetes', none), (error: unknown) => {
    assert.ok(error instanceof StartError);
    assert.equal(error.message, '1 of 2 pods do not run yet; w-1 is Pending');
    assert.equal(error.details[0], 'ImagePullBackOff: no such image');
    assert.equal(error.next, 'kubectl wait --for=condition=Ready pod/w-1');
    return true;
  });
});

test('without a container the command that found none is named', async () => {
  pods();
  const found = findContainers('kubernetes', { ...none, namespace: 'ml', selector: 'app=x' });
  await assert.rejects(found, /no container runs here with app=x/);
});

test('who is refused learns the rights that are needed', async () => {
  program('kubectl', { stderr: 'Error from server (Forbidden): pods is forbidden\n', code: 1 });
  await assert.rejects(findContainers('kubernetes', none), (error: unknown) => {
    assert.ok(error instanceof StartError);
    assert.equal(error.message, 'kubectl may not list the containers');
    assert.match(error.details.join('\n'), /pods\/exec/);
    return true;
  });
});

test('containers of docker by label; another failure is shown as it is', async () => {
  program('docker', { stdout: 'b\na\n' });
  assert.deepEqual(await findContainers('docker', { ...none, selector: 'job=x' }), ['a', 'b']);
  program('docker', { stderr: 'what is this\n', code: 3 });
  await assert.rejects(findContainers('docker', none), /docker ps --format \{\{\.Names\}\}: what is this/);
});

test('the next command is that of the program that was used', () => {
  const missing = explainCommand('podman', 'a', [
    'Error: no container with name or ID "a" found: no such container',
  ]);
  assert.deepEqual([missing?.message, missing?.next], ['there is no container a', 'podman ps']);
});

test('templates name namespace and container', () => {
  assert.equal(containerTemplate('docker', none), 'docker exec -i {host} sh');
  assert.equal(
    containerTemplate('kubernetes', { ...none, namespace: 'ml', container: 'main' }),
    'kubectl exec -i --namespace=ml --container=main {host} -- sh',
  );
});

test('the machine of a pod is its node; containers of docker are on this machine', async () => {
  pods({ ...pod('w-0'), spec: { nodeName: 'gpu07' } }, { ...pod('w-1', 'Pending'), spec: {} });
  const nodeOf = await machinesOfContainers('kubernetes', none);
  assert.deepEqual(['w-0', 'w-1', 'w-2'].map(nodeOf), ['gpu07', undefined, undefined]);
  program('docker', { stdout: 'a\n' });
  assert.equal((await machinesOfContainers('docker', none))('a'), hostname());
});

test('names that a list of hosts, a shell or a terminal would interpret are refused', async () => {
  for (const name of [
    'a b',
    "a'b",
    'a"b',
    'a\nb',
    'a,b',
    'a@b',
    'a:9',
    'w-[0-3]',
    '-it',
    '../a',
    '\u001b[2J',
    '$(a)',
    '',
  ]) {
    pods(pod(name));
    await assert.rejects(findContainers('kubernetes', none), (error: unknown) => {
      assert.ok(error instanceof StartError);
      assert.ok(error.message.startsWith(JSON.stringify(name)), error.message);
      assert.doesNotMatch(error.message, /\p{Cc}/u);
      return true;
    });
  }
});

test('an answer of kubectl that is no list of pods is shown, without what a terminal would interpret', async () => {
  for (const stdout of ['', '<html>\u001b]0;x\u0007', '{"items":7}', '{"items":[{}]}']) {
    program('kubectl', { stdout });
    await assert.rejects(findContainers('kubernetes', none), (error: unknown) => {
      assert.ok(error instanceof StartError);
      assert.equal(error.message, 'kubectl get pods printed no list of pods');
      assert.deepEqual(error.details, [`It printed: ${JSON.stringify(stdout)}`]);
      return true;
    });
  }
});
