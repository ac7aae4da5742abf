// Settings that a bisection examines: environment variables and options of the measured command, from two files.
import { isMap, isScalar, parseDocument } from 'yaml';
import { shellWord } from '../../results/text.ts';

/** A setting from a settings file: an environment variable, or an option of the measured command. */
export interface SettingValue {
  value: string;
  isVariable: boolean;
}

/** Settings by name. A name such as `NCCL_ALGO` is that of an environment variable, a name such as `algo` that of an option. */
export type SettingValues = ReadonlyMap<string, SettingValue>;

/** A setting whose value differs between the two files (`good` and `bad`); null = the file does not have the setting. */
export interface SettingDifference {
  name: string;
  isVariable: boolean;
  good: string | null;
  bad: string | null;
}

/**
 * Variables that shells set themselves. They are ignored, because they differ between any two environments and affect no
 * measurement.
 */
const ofShells: readonly string[] = ['_', 'SHLVL', 'PWD', 'OLDPWD'];

/**
 * True if the name is that of an environment variable, in a file that may also contain options: option names have neither capitals
 * nor "_".
 */
const isVariable = (name: string): boolean => /[A-Z_]/.test(name);

/**
 * Reads settings from a YAML map of names to values (`isYaml`), or from lines NAME=VALUE as `env` prints them. Lines may begin with
 * `export`; comments, empty lines, functions that bash exports and the variables that shells set themselves are skipped. If a line
 * sets a variable again, the last value counts; in YAML a repeated name is a problem.
 * @returns the settings, or a phrase (`problem`) about the first thing that is no setting
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

/** Returns the settings that differ between the two files, sorted by name. */
export function differencesOf(good: SettingValues, bad: SettingValues): SettingDifference[] {
  const names = [...new Set([...good.keys(), ...bad.keys()])].sort();
  return names.flatMap((name) => {
    const [before, after] = [good.get(name), bad.get(name)];
    if (before?.value === after?.value) return [];
    const own = (before ?? after)?.isVariable === true;
    return [{ name, isVariable: own, good: before?.value ?? null, bad: after?.value ?? null }];
  });
}

/** Options (`words`) and environment variables that the bisection adds to its command for the launches at one step. */
export interface AppliedSettings {
  /** Options of the command as arguments: "--algo=ring". */
  words: string[];
  environment: Record<string, string>;
  /**
   * Names of environment variables that are removed before the ranks start: of the differences, those whose value is taken from the
   * file that does not have the variable.
   */
  unset: string[];
}

/**
 * Returns the settings of the good file, with some of the differences replaced by the values of the bad file. Of each difference
 * the value of one file counts: an option that this file does not have is left out, and a variable that it does not have is in
 * `unset`.
 * @param applied numbers of the differences to replace: 1 = the first of `differences`
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
 * Returns a difference as text for users, bad value first: "NCCL_ALGO=Ring (was Tree)", "NCCL_ALGO=Ring (was not set)"; or
 * "NCCL_ALGO removed" if the bad file does not have the setting. Values are quoted as a shell needs it.
 * @param canShow false if the values may be secrets; the text is then only the name, or "NAME removed"
 */
export function differenceText({ name, good, bad }: SettingDifference, canShow: boolean): string {
  if (bad === null) return `${name} removed`;
  if (!canShow) return name;
  const was = good === null ? 'was not set' : `was ${shellWord(good)}`;
  return `${name}=${shellWord(bad)} (${was})`;
}
