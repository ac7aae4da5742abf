import type { SourcePosition } from './error.ts';

/** A value as the command line has it, and its position in the file. */
export interface SuiteText {
  text: string;
  at: SourcePosition;
}
/** Options of a suite or an entry by their long names. */
export type SuiteOptionTexts = Map<string, SuiteText>;

/** An entry as files define it, before its matrix is expanded. */
export interface EntryDefinition {
  name: string;
  at: SourcePosition;
  collectives: SuiteText[];
  options: SuiteOptionTexts;
  environment: Map<string, SuiteText>;
  isOptional: boolean;
  /** Names of entries that replace this one if they can run on the hosts. */
  unless: SuiteText[];
  /** Values by option name or `collective`; every combination is a run. */
  matrix: Map<string, SuiteText[]>;
  /** Combinations to leave out: those with one of the given values on every named axis. */
  exclude: { at: SourcePosition; match: Map<string, SuiteText[]> }[];
}

export interface SuiteFile {
  /** Path relative to the folder of the suite, or `library:NAME`. */
  name: string;
  sha256: string;
}

/** A suite merged with all files that it includes. */
export interface ResolvedSuite {
  name: string;
  title: string;
  files: SuiteFile[];
  options: SuiteOptionTexts;
  environment: Map<string, SuiteText>;
  anchor: { at: SourcePosition; options: SuiteOptionTexts; environment: Map<string, SuiteText> } | null;
  /** Smallest relative change that the gate must be able to detect. */
  detect: number;
  entries: Map<string, EntryDefinition>;
}

/** One run of a suite. */
export interface SuitePlanEntry {
  /** Name of the entry, with the matrix values if it has a matrix: "small/ranks=4". */
  name: string;
  at: SourcePosition;
  collective: string;
  options: SuiteOptionTexts;
  environment: Map<string, SuiteText>;
  isOptional: boolean;
  /** Names of entries, without matrix values, that replace this one if they can run on the hosts. */
  unless: string[];
}
