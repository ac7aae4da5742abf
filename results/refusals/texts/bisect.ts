// Refusal messages about bisections: ends that are missing or have nothing between them, and items that cannot be measured.
import { cannotRunHere, invalid } from '../wording.ts';

/** Command that is suggested next: its output shows what is allowed. */
const help = 'collbench bisect --help';

export const bisectTexts = {
  'bisect-incomplete': invalid(({ missing }: { missing: readonly string[] }) => ({
    message: `bisect: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
    details: ['needs two ends and a command: --good A --bad B -- allreduce --sizes 64K'],
    next: help,
  })),
  'bisect-command': invalid(({ word, known }: { word: string; known: readonly string[] }) => ({
    message: `bisect: '${word}' is no measuring command`,
    details: [`allowed: ${known.join(', ')}`],
    next: help,
  })),
  'bisect-own-option': invalid(({ option }: { option: string }) => ({
    message: `bisect: ${option} has no effect on the measured command`,
    details: ['bisect decides how many launches it needs, and stores them in its own folder'],
    next: help,
  })),
  'bisect-end-missing': cannotRunHere(({ option, file }: { option: string; file: string }) => ({
    message: `--${option} ${file}: there is no such file`,
    details: ['allowed: a file or folder; with --build a revision'],
    next: help,
  })),
  'bisect-two-folders': invalid(({ good, bad }: { good: string; bad: string }) => ({
    message: `--good ${good} and --bad ${bad} are not two files, or two folders, in one folder`,
    details: ['the items between them are the other files of that folder, in the order of their names'],
    next: help,
  })),
  'bisect-one-item': cannotRunHere(({ good, bad }: { good: string; bad: string }) => ({
    message: `--good ${good} and --bad ${bad}: they are the same, or nothing leads from one to the other`,
    details: [
      'allowed: two files of a folder, a revision and a later one, or two files of settings that differ',
    ],
    next: help,
  })),
  'bisect-without-item': invalid(({ file }: { file: string }) => ({
    message: `${file} is a folder, and {item} is not in the command`,
    details: ['write {item} where the file belongs: -- allreduce --engine nccl --nccl {item}'],
    next: help,
  })),
  'bisect-build-without-item': invalid(({ build, isInBuild }: { build: string; isInBuild: boolean }) => ({
    message: isInBuild
      ? `--build '${build}': {item} is not in the measured command`
      : `--build '${build}': it lacks {item}`,
    details: [
      'every revision needs a folder of its own, because pairs of two are measured:',
      "--build './build.sh {item} builds/{item}' -- allreduce --transport plugin:builds/{item}/libnccl-net.so",
    ],
    next: help,
  })),
  'bisect-no-revisions': cannotRunHere(
    ({ good, bad, folder, why }: { good: string; bad: string; folder: string; why: string }) => ({
      message: `--good ${good} --bad ${bad}: git does not know them in ${folder}`,
      details: [why],
      next: { shell: 'git log --oneline' },
    }),
  ),
  'bisect-not-settings': cannotRunHere(
    ({ option, file, problem }: { option: string; file: string; problem: string }) => ({
      message: `--${option} ${file}: ${problem}`,
      details: [
        'allowed: lines NAME=VALUE as env prints them, or in a file .yaml a map of options and variables',
        'for files of a folder write {item} into the command: -- allreduce --transport plugin:{item}',
      ],
      next: help,
    }),
  ),
  'bisect-setting-typed': invalid(({ name, good, bad }: { name: string; good: string; bad: string }) => ({
    message: `--${name} is in the command and in ${good} or ${bad}`,
    details: ['remove it from the command or from the files'],
    next: help,
  })),
  'bisect-list-changed': cannotRunHere(({ id, good, bad }: { id: string; good: string; bad: string }) => ({
    message: `bisection ${id}: the items between ${good} and ${bad} are not those of its start`,
    details: ['its results are kept; start a new one'],
    next: { words: ['show', id], keep: ['root'] },
  })),
  'bisect-folder-missing': cannotRunHere(({ id, folder }: { id: string; folder: string }) => ({
    message: `bisection ${id} began in ${folder}, which is not there`,
    details: ['the paths of its command are relative to that folder; its results are kept'],
    next: { words: ['show', id], keep: ['root'] },
  })),
  'bisect-not-measured': cannotRunHere(
    ({ id, item, reason }: { id: string; item: string; reason: string }) => ({
      message: `bisect: ${item} cannot be measured: ${reason}`,
      details: ['everything is compared with it, so the search cannot continue; what was measured is kept'],
      next: { words: ['show', id], keep: ['root'] },
    }),
  ),
};
