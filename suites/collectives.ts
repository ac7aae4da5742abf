import {
  type CollectiveName,
  collectiveNames,
  collectives,
  type DtypeName,
  dtypeNames,
  engineRow,
  type OpName,
  opNames,
} from '../results/schema/index.ts';

/** Data types of an engine: the 8-bit floats are for GPUs only. */
export const dtypesOf = (engine: string): readonly DtypeName[] =>
  engineRow({ engine }).onDevice ? dtypeNames : dtypeNames.filter((name) => !name.startsWith('float8'));

/** Reductions of an engine. */
export const opsOf = (engine: string): readonly OpName[] =>
  engineRow({ engine }).onDevice ? opNames : opNames.filter((name) => name !== 'premulsum');

/** Collectives of an engine, in the order of the table. */
export const collectivesOf = (engine: string): CollectiveName[] =>
  collectiveNames.filter((name) => collectives[name].engines.includes(engine));
