// Refusal messages about suites: files that are missing or cannot be used, and entries that cannot run.
import { formatPercent, plural } from '../../units.ts';
import { cannotRunHere, invalid } from '../wording.ts';
import { nextWord, suggestWord } from './words.ts';

export const suiteTexts = {
  'export-one-run': invalid(({ suite, runs }: { suite: string; runs: readonly string[] }) => ({
    message: `export: suite ${suite} has ${runs.length} runs; --metrics and --parquet take one of them`,
    details: [`its runs: ${runs.slice(0, 5).join(', ')}${runs.length > 5 ? ', ...' : ''}`],
    next: `collbench export ${suite} --csv`,
  })),
  'no-such-suite': invalid(({ word, names }: { word: string; names: readonly string[] }) => {
    return {
      message: `suite ${word}: there is no such suite`,
      details: [`allowed: ${names.join(', ')}, or a file of your own: ./${word || 'mine'}.yaml`],
      next: 'collbench suite --list',
      ...nextWord(word, names),
    };
  }),
  'suite-is-stored': cannotRunHere(
    ({ word, kind }: { word: string; kind: 'run' | 'suite' | 'explanation' | 'bisection' }) => ({
      message: `suite ${word}: a stored ${kind}; suite measures a suite by its name or file`,
      details: ['allowed: what collbench suite --list names, or a file: ./mine.yaml'],
      next: { words: ['report', word], keep: ['root'] },
    }),
  ),
  'no-such-entry': invalid(
    ({ word, suite, known }: { word: string; suite: string; known: readonly string[] }) => ({
      message: `--only ${word}: suite ${suite} has no such entry`,
      details: [suggestWord(word, known)],
      ...nextWord(word, known),
    }),
  ),
  'suite-unreadable': cannotRunHere(({ message }: { message: string }) => ({
    message,
    next: 'collbench suite --list',
  })),
  /** Error in a suite's file. `message` comes from the parser of suite files and contains the position in the file. */
  'suite-as-written': invalid(
    (values: {
      message: string;
      lines: readonly string[];
      /**
       * A word that the suite file must not contain, and the words that are allowed in its place (`known`); null if the error is
       * another one.
       */
      unknown: { word: string; known: readonly string[] } | null;
    }) => ({
      message: values.message,
      details: [
        ...values.lines.map((line) => line.trim()),
        ...(values.unknown === null ? [] : [suggestWord(values.unknown.word, values.unknown.known)]),
      ],
    }),
  ),
  'gate-needs-launches': invalid(
    (found: {
      suite: string;
      entry: string;
      of: 'suite' | 'baseline';
      launches: number;
      detect: number;
      sees: number;
      scatter: number;
      wanted: number | null;
      wantedScatter: number;
    }) => {
      const { suite, entry, of, launches, detect, sees, scatter, wanted, wantedScatter } = found;
      const few = `${plural(launches, 'launch')} per configuration`;
      const isOfBaseline = of === 'baseline';
      return {
        message: `suite ${suite} --gate: ${few} ${isOfBaseline ? 'in the baseline ' : ''}can give no verdict`,
        details: [
          Number.isFinite(sees)
            ? `${entry}: the gate must detect ${formatPercent(detect)}; ${launches} launches detect only changes above ${formatPercent(sees)}, even if they scatter by just ${formatPercent(scatter)}`
            : `${entry}: the gate must detect ${formatPercent(detect)}; one launch does not show how launches scatter`,
          wanted === null
            ? `no number of launches detects ${formatPercent(detect)}: raise "detect" in the suite file`
            : `${wanted} launches are enough if they scatter by at most ${formatPercent(wantedScatter)}; or set "launches: ${wanted}" in the suite file`,
          ...(isOfBaseline
            ? ['measure the baseline again on a quiet machine, then: collbench baseline set last']
            : []),
        ],
        next: {
          change: {
            ...(wanted === null ? {} : { launches: String(wanted) }),
            ...(isOfBaseline || wanted === null ? { gate: null } : {}),
          },
        },
      };
    },
  ),
  'gate-needs-pairs': invalid(
    (values: {
      /** Name of the refused command, such as "suite"; the message begins with it. */
      command: string;
      pairs: number;
      margin: number;
      /** Lowest number of pairs of launches that can give a verdict on an idle machine; Infinity if no number can. */
      lowest: number;
    }) => ({
      message: `${values.command}: ${plural(values.pairs, 'pair')} of launches can give no verdict`,
      details: [
        Number.isFinite(values.lowest)
          ? `"same within ${formatPercent(values.margin)}" needs ${values.lowest} pairs, even if launches scatter by just ${formatPercent(0.015)}`
          : `"same within ${formatPercent(values.margin)}" is out of reach: use a wider margin`,
      ],
      next: { change: { pairs: Number.isFinite(values.lowest) ? null : String(values.pairs) } },
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
