import type { Place } from './error.ts';

/** A value as it would be typed, and where it stands. */
export interface Written {
  text: string;
  at: Place;
}
/** By long name. */
export type WrittenOptions = Map<string, Written>;

/** An entry as files say it, before the matrix is multiplied out. */
export interface EntryRule {
  name: string;
  at: Place;
  collectives: Written[];
  options: WrittenOptions;
  environment: Map<string, Written>;
  isOptional: boolean;
  /** Entries that make this one needless where they can run. */
  unless: Written[];
  /** Values of one option, or of `collective`, each an entry. */
  matrix: Map<string, Written[]>;
  /** Combinations left out: of each axis named, any of the values. */
  exclude: { at: Place; match: Map<string, Written[]> }[];
}

export interface SuiteFile {
  /** Relative to the folder of the suite, or `library:NAME`. */
  name: string;
  sha256: string;
}

/** A suite with all it includes. */
export interface Suite {
  name: string;
  title: string;
  files: SuiteFile[];
  options: WrittenOptions;
  environment: Map<string, Written>;
  anchor: { at: Place; options: WrittenOptions; environment: Map<string, Written> } | null;
  /** Smallest relative change that the gate must be able to see. */
  detect: number;
  entries: Map<string, EntryRule>;
}

/** One run to be made. */
export interface SuitePlanEntry {
  /** "small", or with its place in the matrix "small/ranks=4". */
  name: string;
  at: Place;
  collective: string;
  options: WrittenOptions;
  environment: Map<string, Written>;
  isOptional: boolean;
  /** Names of entries, without places in a matrix. */
  unless: string[];
}
