// Compares the messages and lists that exist in both languages with native/contract/tests/contract.json. This file compares the
// schemas and tables of TypeScript, native/contract/tests/contract_test.cc the C++ code.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { agentMessage, controllerMessage, protocolVersion } from '../orchestration/protocol.ts';
import { countsProblem } from '../orchestration/reply-problems.ts';
import { defaultRouteOf } from '../results/machine/network.ts';
import { packageRoot } from '../results/package.ts';
import {
  alltoallvCount,
  collectiveNames,
  collectives,
  engineNames,
  p2pOperations,
  transports,
  workloadOf,
  wrongData,
} from '../results/schema/index.ts';
import { p2pAxes } from '../results/schema/workloads/p2p.ts';
import { recordedEnvironment } from '../results/store/environment.ts';
import { scratchParts } from '../suites/engines/cpu/algorithms.ts';
import { planningEngines } from '../suites/engines/index.ts';
import { offerOf } from '../suites/engines/offers.ts';
import { softmlx5, softntb } from '../suites/transports/emulators.ts';
import { transportOptions } from '../suites/transports/index.ts';
import type { TransportOptions } from '../suites/transports/options.ts';
import { plannings } from '../suites/workloads/index.ts';

const message = z.looseObject({ type: z.string() });
const contract = z
  .strictObject({
    about: z.string(),
    protocol: z.int(),
    sent: z.array(message),
    received: z.array(message),
    axes: z.record(z.string(), z.array(z.string())),
    p2pOperations: z.array(z.string()),
    p2pDirections: z.array(z.string()),
    transports: z.array(z.string()),
    ncclTransports: z.array(z.string()),
    linkModels: z.record(z.string(), z.array(z.string())),
    collectives: z.array(z.string()),
    parts: z.record(z.string(), z.array(z.int())),
    alltoallvParts: z.array(z.strictObject({ ranks: z.int(), count: z.int(), lengths: z.array(z.int()) })),
    forms: z.record(z.string(), z.record(z.string(), z.boolean())),
    variables: z.array(z.strictObject({ name: z.string(), value: z.string(), recorded: z.boolean() })),
    routes: z.array(z.strictObject({ table: z.string(), interface: z.string() })),
    scratch: z.array(
      z.strictObject({ algorithm: z.string(), collective: z.string(), ranks: z.int(), parts: z.int() }),
    ),
    verifications: z.array(
      z.strictObject({ comparedElements: z.number(), wrongElements: z.number(), isReported: z.boolean() }),
    ),
  })
  .parse(JSON.parse(readFileSync(path.join(packageRoot, 'native/contract/tests/contract.json'), 'utf8')));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
type JsonSchema = z.core.JSONSchema._JSONSchema;

/** Fields that no value has, fields that are missing in the schema, and optional fields that every value has. */
function differences(schema: JsonSchema, values: readonly unknown[], at: string): string[] {
  if (typeof schema === 'boolean') return [];
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (alternatives.length > 0) return alternatives.flatMap((one) => differences(one, values, at));
  if (schema.items !== undefined && !Array.isArray(schema.items))
    return differences(
      schema.items,
      values.flatMap((value) => (Array.isArray(value) ? value : [])),
      `${at}[]`,
    );
  const objects = values.filter(isObject);
  if (isObject(schema.additionalProperties))
    return differences(schema.additionalProperties, objects.flatMap(Object.values), `${at}.*`);
  const { properties } = schema;
  if (properties === undefined) return leafDifferences(schema, values, at);
  const sampled = new Set(objects.flatMap(Object.keys));
  const required = new Set(schema.required);
  return [
    ...Object.keys(properties)
      .filter((name) => !required.has(name) && objects.every((value) => name in value))
      .map((name) => `${at}.${name} is optional, but every sample has it`),
    ...[...sampled]
      .filter((name) => !(name in properties))
      .map((name) => `${at}.${name} is not in the schema`),
    ...Object.entries(properties).flatMap(([name, field]) =>
      sampled.has(name)
        ? differences(
            field,
            objects.flatMap((value) => (name in value ? [value[name]] : [])),
            `${at}.${name}`,
          )
        : [`${at}.${name} is in no sample`],
    ),
  ];
}

/** The samples must contain every word of an enumeration, and of each type a value that differs from an empty field. */
function leafDifferences(schema: z.core.JSONSchema.BaseSchema, values: readonly unknown[], at: string) {
  if (schema.const !== undefined) return [];
  if (schema.enum !== undefined)
    return schema.enum
      .filter((word) => !values.includes(word))
      .map((word) => `${at}: no sample holds ${word}`);
  return [schema.type].flat().flatMap((type) => {
    const name = type === 'integer' ? 'number' : type;
    const isThere = (value: unknown) =>
      name === 'null' ? value === null : typeof value === name && (value === false || Boolean(value));
    return values.some(isThere) ? [] : [`${at}: no sample holds a ${name}`];
  });
}

/** Checks that each sample is valid, and that all fields of its kind of message occur. */
function compare(schema: typeof agentMessage | typeof controllerMessage, samples: z.infer<typeof message>[]) {
  for (const sample of samples) {
    const { error } = schema.safeParse(sample);
    assert.ok(error === undefined, `${sample.type}: ${error && z.prettifyError(error)}`);
  }
  const types = schema.options.map((option) => option.shape.type.value);
  assert.deepEqual(new Set(samples.map(({ type }) => type)), new Set<string>(types));
  for (const option of schema.options) {
    const type = option.shape.type.value;
    const same = samples.filter((sample) => sample.type === type);
    assert.deepEqual(differences(z.toJSONSchema(option), same, type), []);
  }
}

test('what agents send is what the schema expects, to the last field', () => {
  assert.equal(contract.protocol, protocolVersion);
  compare(agentMessage, contract.sent);
});

test('what agents understand is what the controller may send, to the last field', () => {
  compare(controllerMessage, contract.received);
});

test('names and sizes of collectives are the same on both sides', () => {
  assert.deepEqual(contract.collectives, collectiveNames);
  for (const name of collectiveNames) {
    const { reduces, rooted, hasInPlace } = collectives[name];
    assert.deepEqual(contract.forms[name], { reduces, rooted, hasInPlace }, name);
    assert.deepEqual(
      contract.parts[name],
      contract.parts[name]?.map((_, i) => collectives[name].parts(i + 1)),
      name,
    );
  }
  for (const { ranks, count, lengths } of contract.alltoallvParts)
    assert.deepEqual(
      lengths.map((_, i) => alltoallvCount(count, Math.floor(i / ranks), i % ranks, ranks)),
      lengths,
      `alltoallv of ${count} elements, ${ranks} ranks`,
    );
});

test('engines offer what plans may ask of them', () => {
  const hello = agentMessage.options[0].parse(contract.sent.find(({ type }) => type === 'hello'));
  for (const engine of engineNames) {
    const offered = hello.engines.find(({ name }) => name === engine)?.offers;
    const planned = plannings.flatMap((planning) => {
      const limits = offerOf(planningEngines[engine], planning);
      return limits === null ? [] : [[planning.row.name, limits]];
    });
    assert.deepEqual(offered, Object.fromEntries(planned), engine);
  }
});

test('workloads have the same axes on both sides', () => {
  for (const [name, axes] of Object.entries(contract.axes))
    assert.deepEqual(
      axes,
      workloadOf(name).axes.map((axis) => axis.name),
      name,
    );
  assert.deepEqual(contract.p2pOperations, p2pOperations);
  assert.deepEqual(contract.p2pDirections, p2pAxes.shape.direction.options);
});

test('transports and link models are the same on both sides', () => {
  assert.deepEqual(contract.transports, planningEngines.cpu.transports);
  assert.deepEqual(contract.ncclTransports, planningEngines.nccl.transports);
  for (const { name, links } of [softntb, softmlx5])
    assert.deepEqual(contract.linkModels[name], ['none', ...links]);
  const asked: TransportOptions = {
    medium: 'emulated',
    interface: 'eth0',
    streams: 2,
    socketBuffer: 65_536,
    sisciLibrary: '/lib/x.so',
    ibgdaQueue: 'dc',
    link: 'none',
    fault: 'bit-flip',
    pathProof: false,
  };
  const known = contract.received.flatMap(({ options }) => (isObject(options) ? Object.keys(options) : []));
  for (const { name } of transports)
    for (const option of Object.keys(transportOptions(name, asked)))
      assert.ok(known.includes(option), `${name}: agents know no option ${option}`);
});

test('both sides record the same variables', () => {
  for (const { name, value, recorded } of contract.variables)
    assert.equal(name in recordedEnvironment({ [name]: value }), recorded, `${name}=${value}`);
});

test('both sides find the same interface of the default route', () => {
  for (const { table, interface: name } of contract.routes)
    assert.equal(defaultRouteOf(table) ?? '', name, table);
});

test('both sides refuse the same counts of wrong elements', () => {
  for (const { isReported, ...counts } of contract.verifications) {
    const isAccepted =
      wrongData.safeParse({ rank: 0, ...counts, first: null }).success && countsProblem(counts) === null;
    assert.equal(isAccepted, isReported, JSON.stringify(counts));
  }
});

test('the plan of a run counts the scratch memory that ranks take', () => {
  for (const { algorithm, collective, ranks, parts } of contract.scratch)
    assert.equal(scratchParts(algorithm, collective, ranks), parts, `${algorithm} ${collective} ${ranks}`);
});
