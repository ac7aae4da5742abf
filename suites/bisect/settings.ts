// Settings that a bisection examines: environment variables and options of the measured command, from two files.
import { isMap, isScalar, parseDocument } from 'yaml';
import { shellWord } from '../../results/text.ts';

/** A setting of a file: an environment variable, or an option of the measured command. */
export interface SettingValue {
  value: string;
  isVariable: boolean;
}

/** Settings by name: `NCCL_ALGO` is an environment variable, `algo` an option. */
export type SettingValues = ReadonlyMap<string, SettingValue>;

/** A setting that the two files have otherwise; null = the file does not have it. */
export interface SettingDifference {
  name: string;
  isVariable: boolean;
  good: string | null;
  bad: string | null;
}

/** Variables that shells set themselves; they differ between any two environments, and change nothing. */
const ofShells: readonly string[] = ['_', 'SHLVL', 'PWD', 'OLDPWD'];

/** True for the name of an environment variable in a file that has options, too: names of options have no capitals and no "_". */
const isVariable = (name: string): boolean => /[A-Z_]/.test(name);

/**
 * Reads settings: of YAML a map, otherwise lines NAME=VALUE as `env` prints them.
 * @returns the settings, or a sentence about the first thing that is neither, with its line
 */
export function readSettings(text: string, isYaml: boolean): SettingValues | { problem: string } {
  return isYaml ? readYaml(text) : readLines(text);
}

function readLines(text: string): SettingValues | { problem: string } {
  const found = new Map<string, SettingValue>();
  let isInFunction = false;
  for (const [at, line] of text.split('\n').entries()) {
    // Functions that bash exports, such as `module` on clusters, have many lines and end with "}".
    const isFunctionLine: boolean = isInFunction || /^BASH_FUNC_[^=]*=\(\) *\{/.test(line);
    isInFunction = isFunctionLine && line !== '}';
    if (isFunctionLine || /^\s*(#|$)/.test(line)) continue;
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line.trimEnd()) ?? [];
    if (name === undefined || value === undefined) return { problem: `line ${at + 1} is not NAME=VALUE` };
    if (!ofShells.includes(name)) found.set(name, { value, isVariable: true });
  }
  return found;
}

function readYaml(text: string): SettingValues | { problem: string } {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) return { problem: error.message.split('\n')[0] ?? '' };
  if (document.contents === null) return new Map();
  if (!isMap(document.contents)) return { problem: 'it is not a map of names to values' };
  const found = new Map<string, SettingValue>();
  for (const { key, value } of document.contents.items) {
    const name = isScalar(key) ? String(key.value) : '';
    if (!isScalar(value) || value.value === null) return { problem: `${name} has no single value` };
    found.set(name, { value: String(value.source ?? value.value), isVariable: isVariable(name) });
  }
  return found;
}

/** Returns the differences between two files of settings, in the order of the names. */
export function differencesOf(good: SettingValues, bad: SettingValues): SettingDifference[] {
  const names = [...new Set([...good.keys(), ...bad.keys()])].sort();
  return names.flatMap((name) => {
    const [before, after] = [good.get(name), bad.get(name)];
    if (before?.value === after?.value) return [];
    const own = (before ?? after)?.isVariable === true;
    return [{ name, isVariable: own, good: before?.value ?? null, bad: after?.value ?? null }];
  });
}

/** Options and environment with which a command is measured. */
export interface AppliedSettings {
  /** Options of the command, as words. */
  words: string[];
  environment: Record<string, string>;
  /** Environment variables that the ranks do not get. */
  unset: string[];
}

/**
 * Returns the settings of the good end with some differences applied.
 * @param applied numbers of the differences, from 1
 */
export function applySettings(
  good: SettingValues,
  differences: readonly SettingDifference[],
  applied: ReadonlySet<number>,
): AppliedSettings {
  const values = new Map<string, { value: string | null; isVariable: boolean }>(good);
  for (const [at, { name, isVariable, good, bad }] of differences.entries())
    values.set(name, { value: applied.has(at + 1) ? bad : good, isVariable });
  const found: AppliedSettings = { words: [], environment: {}, unset: [] };
  for (const [name, { value, isVariable }] of values) {
    if (!isVariable && value !== null) found.words.push(`--${name}=${value}`);
    else if (isVariable && value !== null) found.environment[name] = value;
    else if (isVariable) found.unset.push(name);
  }
  return found;
}

/**
 * Returns a difference as text for readers: "NCCL_ALGO=Ring (was Tree)".
 * @param canShow false if the values may be secrets; the text then has the name alone
 */
export function differenceText({ name, good, bad }: SettingDifference, canShow: boolean): string {
  if (bad === null) return `${name} removed`;
  if (!canShow) return name;
  const was = good === null ? 'was not set' : `was ${shellWord(good)}`;
  return `${name}=${shellWord(bad)} (${was})`;
}
