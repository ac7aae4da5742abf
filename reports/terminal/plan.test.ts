import assert from 'node:assert/strict';
import { test } from 'node:test';
import { syntheticRun } from '../fixtures/synthetic.ts';
import { planText } from './plan.ts';
import { createTable } from './table.ts';

test('a plan says what, where, how much and how long, within the width', () => {
  const { plan } = syntheticRun({ maxBytes: 64 }).record;
  const text = planText(plan, 'runs/monday', 80);
  assert.match(text, /^ {2}what +allreduce float32 sum\n/);
  assert.match(text, /\n {2}ranks +2 ranks on 1 node: \S+\n/);
  assert.match(text, /\n {2}transports +socket +.*\n +sisci +.*EMULATED\n/);
  assert.match(text, /\n {2}sizes +4 sizes from 8 B to 64 B\n {2}configurations 8\n/);
  const launched = { ...plan, sampling: { ...plan.sampling, launches: 100, adaptive: undefined } };
  assert.match(
    planText(launched, 'x', 80),
    /\n {2}launches +100\n +all stay open to the end: up to 200 rank processes\n/,
  );
  assert.match(text, /\n {2}expected time +about 4 min\n {2}folder +runs\/monday\n/);
  assert.match(text, /Nothing was measured\. The complete plan: --plan-only --json\n$/);
  assert.ok(text.split('\n').every((line) => line.length <= 80));
});

test('of many hosts and series the first are named and the others counted', () => {
  const { plan } = syntheticRun({ collectives: ['allreduce', 'broadcast', 'allgather'] }).record;
  const hosts = Array.from({ length: 9 }, (_, i) => ({ name: `gpu0${i}`, ranks: [2 * i, 2 * i + 1] }));
  const text = planText({ ...plan, hosts, ranks: 18 }, 'x', 80);
  assert.match(text, /\n {2}ranks +18 ranks on 9 nodes\n +gpu00: 0-1\n/);
  assert.match(text, / gpu05: 10-11\n +and 3 more\n/);
  assert.match(text, /^ {2}3 series +allreduce/);
});

test('names of machines bring no escape codes', () => {
  const { plan } = syntheticRun({ maxBytes: 64 }).record;
  const [host] = plan.hosts;
  assert.ok(host !== undefined);
  const text = planText({ ...plan, hosts: [{ ...host, name: 'a\u001b[31mb' }] }, 'x', 80);
  assert.ok(!text.includes('\u001b'));
});

test('each reason for which sizes are skipped is there, with how many', () => {
  const { plan } = syntheticRun({ maxBytes: 64 }).record;
  const skip = (requestedX: number, reason: string) => ({ what: 'allreduce', requestedX, reason });
  const skipped = [skip(1, 'less than one element'), skip(2, 'less than one element'), skip(9, 'too large')];
  const text = planText({ ...plan, skipped }, 'x', 80);
  assert.match(text, /\n {2}skipped +2: less than one element\n +1: too large\n/);
  const head = createTable({ plan: { ...plan, skipped }, columns: 80, color: false }).head();
  assert.match(head, /\n {2}2 skipped: less than one element\n {2}1 skipped: too large\n/);
});
