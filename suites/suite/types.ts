import type { SourcePosition } from './error.ts';

/** A value of a suite file as a user would type it on the command line (a list with commas), and its position in the file. */
export interface SuiteText {
  text: string;
  at: SourcePosition;
}
/** Option values of a suite or of one of its entries, by the option's name on the command line without "--". */
export type SuiteOptionTexts = Map<string, SuiteText>;

/** An entry of a suite file: collectives with options. Each combination of its matrix values becomes a run. */
export interface EntryDefinition {
  name: string;
  at: SourcePosition;
  collectives: SuiteText[];
  options: SuiteOptionTexts;
  environment: Map<string, SuiteText>;
  isOptional: boolean;
  /** Names of other entries. If one of them can run on the hosts, this entry is left out. */
  unless: SuiteText[];
  /** Lists of values to combine, by option name or `collective`; every combination becomes a run. */
  matrix: Map<string, SuiteText[]>;
  /**
   * Combinations of matrix values to leave out. A combination is left out if, for every option in `match`, it has one of the listed
   * values.
   */
  exclude: { at: SourcePosition; match: Map<string, SuiteText[]> }[];
}

export interface SuiteFile {
  /** Path of a suite file or of a file that it includes, as messages show it; `library:NAME` if collbench ships the file. */
  name: string;
  sha256: string;
}

/** A suite file merged with all files that it includes: options for all entries, and the entries by name. */
export interface ResolvedSuite {
  name: string;
  title: string;
  files: SuiteFile[];
  options: SuiteOptionTexts;
  environment: Map<string, SuiteText>;
  anchor: { at: SourcePosition; options: SuiteOptionTexts; environment: Map<string, SuiteText> } | null;
  /** Smallest relative change that `suite --gate` must be able to detect; 0.1 = 10 %. */
  detect: number;
  entries: Map<string, EntryDefinition>;
}

/** One run of a suite, after the matrices are expanded. */
export interface SuitePlanEntry {
  /** Name of the entry, with the collective if it has several, and its matrix values: "small", "small/allreduce/ranks=4". */
  name: string;
  at: SourcePosition;
  collective: string;
  options: SuiteOptionTexts;
  environment: Map<string, SuiteText>;
  isOptional: boolean;
  /** Names of other entries, without matrix values. If one of them can run on the hosts, this run is left out. */
  unless: string[];
}
