import type { z } from 'zod';
import { SuiteError } from './error.ts';
import { entryKeys, type SuiteSchema, suiteKeys } from './schema.ts';
import { positionOf, type YamlTree } from './yaml.ts';

type ZodIssue = z.core.$ZodIssue;

/**
 * Turns the first error that the schema check (zod) found into a message with its position. Messages of zod itself are written
 * for programmers.
 */
export function shapeError(tree: YamlTree, issue: ZodIssue | undefined, vocabulary: SuiteSchema): SuiteError {
  const path = issue?.path ?? [];
  const name = path.length === 0 ? 'the suite' : path.map(String).join('.');
  if (issue?.code === 'unrecognized_keys') {
    const [word = ''] = issue.keys;
    const owner = path.length === 0 ? 'a suite' : name;
    const known = keysAt(path, vocabulary);
    return new SuiteError(positionOf(tree, [...path, word], true), `${word}: ${owner} has no such key`, [], {
      word,
      known,
    });
  }
  if (issue?.code === 'invalid_value') {
    const known = issue.values.map(String);
    const word = wordAt(tree, path);
    return new SuiteError(positionOf(tree, path), `${name}: ${word}: none of those known`, [], {
      word,
      known,
    });
  }
  if (issue?.code === 'invalid_union') {
    const inner = issue.errors.flat().sort((a, b) => weight(b) - weight(a))[0];
    const isTold = inner !== undefined && weight(inner) > 0;
    if (isTold) return shapeError(tree, { ...inner, path: [...path, ...inner.path] } as ZodIssue, vocabulary);
  }
  const at = positionOf(tree, path, true);
  if (issue?.code === 'too_small') return new SuiteError(at, `${name}: empty`);
  if (issue?.code === 'too_big') return new SuiteError(at, `${name}: more than ${String(issue.maximum)}`);
  if (wordAt(tree, path) === '') return new SuiteError(at, `${name} needs a value`);
  return new SuiteError(at, `${name}: not allowed here`, [`  allowed: ${shapeAt(path)}`]);
}

/**
 * Weight of an error among the errors of a union's alternatives; the error with the highest weight is shown. The alternative
 * whose error is deepest in the file is most likely meant; at equal depth one with an unknown word.
 */
const weight = (issue: ZodIssue): number => 2 * issue.path.length + (issue.code === 'invalid_value' ? 1 : 0);

function wordAt(tree: YamlTree, path: readonly PropertyKey[]): string {
  const [step, ...rest] = path;
  if (step === undefined) return tree.kind === 'text' ? tree.text : 'this';
  if (tree.kind === 'text') return tree.text;
  const next =
    tree.kind === 'list' ? tree.items[Number(step)] : tree.items.find(({ key }) => key === step)?.value;
  return next === undefined ? 'this' : wordAt(next, rest);
}

function keysAt(path: readonly PropertyKey[], { options }: SuiteSchema): string[] {
  const names = Object.keys(options);
  const [first, , third] = path;
  if (first === undefined) return [...suiteKeys];
  if (first === 'options') return names;
  if (first === 'anchor') return [...names, 'environment'];
  return third === undefined ? [...entryKeys, ...names] : ['collective', ...names];
}

function shapeAt(path: readonly PropertyKey[]): string {
  const last = path.at(-1);
  const isEntry = (path[0] === 'entries' || path[0] === 'override') && path.length === 2;
  if (isEntry) return 'a map of options, with collective: allreduce';
  if (last === 'entries' || last === 'override') return 'a map from names to entries';
  if (['options', 'environment', 'anchor', 'matrix'].includes(String(last))) return 'a map';
  if (path.includes('matrix')) return 'a list of values, each an entry of its own';
  if (last === 'exclude') return 'a list of maps, as in: [{collective: barrier, ranks: 4}]';
  if (last === 'drop') return 'a list of names of entries';
  if (last === 'collective') return 'a collective, or a list of them';
  return 'a value, or a list of values';
}
