// Refusal messages about output of other programs that cannot be imported.
import { nearestWord } from '../../nearest.ts';
import { cannotRunHere, invalid, type OptionChange } from '../wording.ts';

export const importTexts = {
  'import-unreadable': cannotRunHere(({ file, why }: { file: string; why: string }) => ({
    message: `${file}: ${why}`,
    details: ['allowed: a file, or - for stdin'],
  })),
  'no-bundle': cannotRunHere(({ file, why }: { file: string; why: string }) => ({
    message: `${file}: ${why}`,
    details: ['allowed: a file of collbench bundle, whole, or the output of another program'],
  })),
  'bundle-option': invalid(({ option }: { option: string }) => ({
    message: `import: --${option} has no effect on a bundle, which holds all of its run`,
    details: ['allowed: --label, --out, --root, --json'],
  })),
  'import-too-large': cannotRunHere(({ maxMiB }: { maxMiB: number }) => ({
    message: `more than ${maxMiB} MiB: not imported`,
    details: [
      `allowed: up to ${maxMiB} MiB; cut it at line ends (split -C 60M FILE), each part becomes a run`,
    ],
  })),
  /**
   * Error in the output of another program. `why` comes from the parser of the format; `lines` say how to solve the problem, and
   * `change` has the options with which the command would succeed (null = none are known).
   */
  'not-imported': cannotRunHere(
    (values: {
      file: string;
      why: string;
      lines: readonly string[];
      change: OptionChange['change'] | null;
    }) => ({
      message: `${values.file}: ${values.why}`,
      details: values.lines.map((line) => line.trim()),
      ...(values.change === null ? {} : { next: { change: values.change } }),
    }),
  ),
  'unknown-value': invalid(
    ({ option, word, known }: { option: string; word: string; known: readonly string[] }) => {
      const near = nearestWord(word, known);
      return {
        message: `--${option} ${word}: there is no such ${option}`,
        details: [`allowed: ${known.join(', ')}`],
        ...(near === null ? {} : { next: { change: { [option]: near } } }),
      };
    },
  ),
};
