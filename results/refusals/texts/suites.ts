// Suites: files that are not there or cannot be used, and what of them cannot run.
import { nearest } from '../../nearest.ts';
import { cannotRunHere, invalid } from '../wording.ts';
import { allowedOrMeant } from './words.ts';

export const suiteTexts = {
  'no-such-suite': invalid(({ word, names }: { word: string; names: readonly string[] }) => {
    const match = nearest(word, names);
    return {
      message: `suite ${word}: there is no such suite`,
      details: [`allowed: ${names.join(', ')}, or a file of your own: ./${word || 'mine'}.yaml`],
      ...(match === null ? {} : { next: `collbench suite ${match}` }),
    };
  }),
  /** A sentence of the reader of suites: it says where in the file it stands. */
  'suite-as-written': invalid(
    ({
      message,
      lines,
      unknown,
    }: {
      message: string;
      lines: readonly string[];
      /** A word that is not known, and those that are. */
      unknown: { word: string; known: readonly string[] } | null;
    }) => ({
      message,
      details: [
        ...lines.map((line) => line.trim()),
        ...(unknown === null ? [] : [allowedOrMeant(unknown.word, unknown.known)]),
      ],
    }),
  ),
  'nothing-of-suite': cannotRunHere(({ reasons }: { reasons: readonly string[] }) => ({
    message: 'nothing of the suite can run here',
    details: reasons,
    next: 'collbench transports --explain',
  })),
  'environment-in-process': invalid(({ entry }: { entry: string }) => ({
    message: `${entry}: environment and in-process`,
    details: ['ranks that are threads of this process have its variables: leave out one of them'],
  })),
  'baseline-missing': cannotRunHere(({ name, folder }: { name: string; folder: string }) => ({
    message: `--baseline ${name}: there is none in ${folder}`,
    next: `collbench baseline list --baselines ${folder}`,
  })),
};
