// Spellings of options. Completion imports this file, so it must not load yargs.

/** All words that stand for an option: --NAME, --no-NAME and its aliases with dashes. The long name comes first. */
export const formsOf = ([name = '', ...aliases]: readonly string[]): string[] => [
  `--${name}`,
  `--no-${name}`,
  ...aliases.map((alias) => `${alias.length === 1 ? '-' : '--'}${alias}`),
];

/** True if the word is one of the forms of an option, alone or joined with its value: --NAME=VALUE, -RVALUE. */
export const isForm =
  (forms: readonly string[]) =>
  (word: string): boolean =>
    forms.some((form) => word === form || word.startsWith(form.startsWith('--') ? `${form}=` : form));
