import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../results/refusals/refusal.ts';
import { textOf } from '../../results/refusals/words.ts';
import { customLinks, linkModels, linkProblem } from './emulators.ts';
import { requireLink } from './index.ts';
import type { TransportOptions } from './options.ts';

const options: TransportOptions = {
  ...{ interface: null, streams: 0, sisciLibrary: null, medium: 'auto', ibgdaQueue: 'rc' },
  ...{ link: 'none', fault: null, pathProof: true, socketBuffer: 0 },
};
const refused = (link: string, ...names: string[]): string => {
  try {
    requireLink({ ...options, link }, names);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return textOf(error);
  }
  return '';
};

test('every named model and a custom one with any of its parameters are taken', () => {
  for (const link of [...linkModels, ...customLinks, 'custom:gbps=0.04', 'custom:latency-us=1e2'])
    assert.equal(linkProblem(link), null, link);
});

for (const [link, why, instead] of [
  ['pcie-gen3-x9', /no such link model/, 'pcie-gen3-x4'],
  ['custom:', /no parameter ''/, 'custom:gbps=7.2'],
  ['custom:gbsp=4', /no parameter 'gbsp'/, 'custom:gbps=4'],
  ['custom:gbps', /gbps is not a number of 0 or more/, 'custom:gbps=7.2'],
  ['custom:gbps=fast', /gbps is not a number/, 'custom:gbps=7.2'],
  ['custom:gbps=-1', /gbps is not a number/, 'custom:gbps=7.2'],
  ['custom:gbps=1,lanes=4', /no parameter 'lanes'/, 'custom:gbps=1'],
  ['custom:latency-us=1,pio-read-us=2', /belong to different adapters/, 'custom:pio-read-us=2'],
] as const) {
  test(`--link ${link} is refused before anything starts, with what is allowed and a model that works`, () => {
    const text = refused(link, 'sisci');
    assert.match(text, why);
    assert.ok(text.startsWith(`--link ${link}: `) && text.includes('\n  allowed: none, pcie-gen1-x8'), text);
    assert.equal(text.split('\n').at(-1), `Next: the same command with --link ${instead}`);
    assert.equal(refused(instead, 'sisci'), '');
  });
}

test('a model that no transport of the run would use is refused; one of them is enough', () => {
  assert.match(
    refused('hdr-200', 'sisci'),
    /^--link hdr-200: sisci would ignore it[\s\S]*--link pcie-gen1-x8$/,
  );
  assert.match(refused('pcie-gen3-x8', 'ibgda'), /ibgda would ignore it[\s\S]*--link edr-100$/);
  assert.equal(refused('hdr-200', 'sisci', 'ibgda'), '');
  assert.equal(refused('hdr-200', 'socket'), '');
});
