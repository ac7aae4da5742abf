import type { SourcePosition } from './error.ts';

/** A value as it would be typed, and where it stands. */
export interface SuiteText {
  text: string;
  at: SourcePosition;
}
/** By long name. */
export type SuiteOptionTexts = Map<string, SuiteText>;

/** An entry as files say it, before the matrix is multiplied out. */
export interface EntryDefinition {
  name: string;
  at: SourcePosition;
  collectives: SuiteText[];
  options: SuiteOptionTexts;
  environment: Map<string, SuiteText>;
  isOptional: boolean;
  /** Entries that make this one needless where they can run. */
  unless: SuiteText[];
  /** Values of one option, or of `collective`, each an entry. */
  matrix: Map<string, SuiteText[]>;
  /** Combinations left out: of each axis named, any of the values. */
  exclude: { at: SourcePosition; match: Map<string, SuiteText[]> }[];
}

export interface SuiteFile {
  /** Relative to the folder of the suite, or `library:NAME`. */
  name: string;
  sha256: string;
}

/** A suite with all it includes. */
export interface ResolvedSuite {
  name: string;
  title: string;
  files: SuiteFile[];
  options: SuiteOptionTexts;
  environment: Map<string, SuiteText>;
  anchor: { at: SourcePosition; options: SuiteOptionTexts; environment: Map<string, SuiteText> } | null;
  /** Smallest relative change that the gate must be able to see. */
  detect: number;
  entries: Map<string, EntryDefinition>;
}

/** One run to be made. */
export interface SuitePlanEntry {
  /** "small", or with its place in the matrix "small/ranks=4". */
  name: string;
  at: SourcePosition;
  collective: string;
  options: SuiteOptionTexts;
  environment: Map<string, SuiteText>;
  isOptional: boolean;
  /** Names of entries, without places in a matrix. */
  unless: string[];
}
