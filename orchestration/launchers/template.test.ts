import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { commandLauncher } from './command.ts';
import { StartError } from './launcher.ts';
import { srunArguments } from './slurm.ts';
import { fill, splitCommandWords } from './template.ts';

test('words are split at spaces, quotes group, a backslash takes the next character', () => {
  assert.deepEqual(splitCommandWords(`ssh -o 'A B' "c \\" d" e\\ f ''`), [
    'ssh',
    '-o',
    'A B',
    'c " d',
    'e f',
    '',
  ]);
  assert.throws(() => splitCommandWords("a 'b"), /quote ' does not end/);
  assert.throws(() => splitCommandWords('   '), /there is no command/);
});

test('{host} must stand somewhere, other words are refused', () => {
  const values = { host: 'gpu01', agent: '/a b/agent' };
  assert.deepEqual(fill('kubectl exec -i {host} -- {agent}', values), [
    'kubectl',
    'exec',
    '-i',
    'gpu01',
    '--',
    '/a b/agent',
  ]);
  assert.deepEqual(fill('docker exec -i {host} sh', values).slice(-2), ['gpu01', 'sh']);
  assert.throws(() => fill('pdsh {agent}', values), StartError);
  assert.throws(() => fill('pdsh {host} {user}', values), /\{user\} is not known/);
});

test('values that a shell would read are arguments and nothing else', async () => {
  const hostile = `x'; touch /tmp/never "$(id)" \`id\` \n-rf`;
  const process = commandLauncher(`printf %s%s {host} {agent}`, null).start(hostile, '');
  let said = '';
  process.output.on('data', (chunk) => {
    said += chunk;
  });
  await once(process.output, 'end');
  assert.equal(said, hostile);
  assert.equal((await process.exit).code, 0);
});

test('srun: one step per node beside the other steps of the allocation', () => {
  const within = srunArguments('n1', '7');
  assert.deepEqual(within.slice(0, 2), ['--jobid=7', '--overlap']);
  assert.deepEqual(within.slice(-2), ['--', '/bin/sh']);
  const outside = srunArguments('n1', null);
  assert.ok(!outside.includes('--overlap'));
});
