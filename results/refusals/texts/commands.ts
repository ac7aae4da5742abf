// Refusal messages about options of single commands.
import { sizeFlag } from '../../units.ts';
import { cannotRunHere, invalid } from '../wording.ts';
import { nextWord } from './words.ts';

export const commandTexts = {
  'explain-run': cannotRunHere(({ run, reason }: { run: string; reason: string }) => ({
    message:
      run === ''
        ? `--why: the run cannot be explained: ${reason}`
        : `explain: run ${run} cannot be explained: ${reason}`,
    details: [
      'allowed: runs of a collective with two ranks or more, or of messages on one machine (pingpong, put, get, exchange, incast), with engine cpu or nccl',
    ],
    next: 'collbench allreduce --max 1M',
  })),
  'explain-size': cannotRunHere(
    ({ run, size, sizes }: { run: string; size: number; sizes: readonly number[] }) => ({
      message: `--at ${sizeFlag(size)}: run ${run} did not measure this size`,
      details: [`allowed: ${sizes.map(sizeFlag).join(', ')}`],
      next: { change: { at: null } },
    }),
  ),
  'theme-file-unreadable': cannotRunHere(({ file, why }: { file: string; why: string }) => ({
    message: `--theme-file ${file}: ${why}`,
  })),
  'theme-file-not-json': cannotRunHere(({ file, why }: { file: string; why: string }) => ({
    message: `--theme-file ${file}: no JSON: ${why}`,
    details: ['allowed: a Vega or Vega-Lite config, such as {"axis": {"labelFontSize": 9}}'],
  })),
  'theme-file-key': cannotRunHere(
    ({ file, key, meant }: { file: string; key: string; meant: string | null }) => ({
      message: `--theme-file ${file}: '${key}' is no key of a Vega or Vega-Lite config`,
      details: [
        ...(meant === null ? [] : [`did you mean '${meant}'?`]),
        'allowed: axis, legend, bar, line, range, font and others: https://vega.github.io/vega-lite/docs/config.html',
      ],
    }),
  ),
  'theme-file-refused': cannotRunHere(({ file, why }: { file: string; why: string }) => ({
    message: `--theme-file ${file}: Vega cannot draw with it: ${why}`,
  })),
  'two-formats': invalid(({ command, one, other }: { command: string; one: string; other: string }) => ({
    message: `${command}: --${one} and --${other} are two formats`,
    details: ['allowed: one of them'],
    next: { change: { [other]: null } },
  })),
  'option-needs-option': invalid(
    ({
      option,
      needs,
      example,
      keep = [],
    }: {
      option: string;
      needs: string;
      /** A command line, without the word "collbench", in which both options are used correctly. */
      example: string;
      /** Names of options that the suggested example takes over from the command as typed; absent = none. */
      keep?: readonly string[];
    }) => ({
      message: `--${option} has no effect without --${needs}`,
      next: { words: example.split(' '), keep },
    }),
  ),
  'prune-keeps': invalid(({ usual }: { usual: number }) => ({
    message: 'prune: --keep is missing: how many of the newest runs stay',
    details: ['allowed: --keep N, or --dry-run to see which would go'],
    next: `collbench prune --keep ${usual} --dry-run`,
  })),
  'run-of-suite': cannotRunHere(({ run, suite, id }: { run: string; suite: string; id: string }) => ({
    message: `rm: run ${run} belongs to suite ${suite} ${id}, whose page links to it`,
    details: ['allowed: --force, which removes the link, too'],
    next: `collbench rm ${run} --force`,
  })),
  'dump-of-hosts': invalid(({ where }: { where: string }) => ({
    message: `--dump and ${where} exclude each other`,
    details: [
      'NCCL is started on this machine only: run collbench topo --dump on the other one, and give its files here',
    ],
  })),
  'no-common-step': invalid(({ predicted, measured }: { predicted: string; measured: string }) => ({
    message: 'no step is both predicted and measured',
    details: [
      `predicted: ${predicted}`,
      `measured: ${measured}`,
      'name the job with --step, or give the times: --measured p2p=21.9ms,socket=44.2ms',
    ],
  })),
  'compare-needs-two': invalid(({ runs, stored }: { runs: number; stored: number }) => ({
    message: `compare needs two runs, got ${runs}`,
    details: ['allowed: ids or folders of runs, the base first; last~1 and last are the newest two'],
    next:
      stored < 2
        ? { words: ['runs'], keep: ['root'] }
        : { words: ['compare', 'last~1', 'last'], keep: ['root'] },
  })),
  'interleave-two': invalid(({ runs }: { runs: readonly string[] }) => ({
    message: `compare --interleave needs exactly two runs, got ${runs.length}`,
    details: ['allowed: the run of the reference, and the run of the candidate'],
    next: `collbench compare ${runs.slice(0, 2).join(' ')} --interleave`,
  })),
  'interleave-option': invalid(({ option }: { option: string }) => ({
    message: `compare: --${option} has no effect with --interleave`,
    details: ['allowed: --margin, --pairs, --json, --markdown'],
    next: { change: { [option]: null } },
  })),
  'interleave-run': cannotRunHere(({ run, command }: { run: string; command: string }) => ({
    message: `compare --interleave: run ${run} cannot be measured again`,
    details: [`its command is: ${command}`, 'allowed: runs that collbench measured itself'],
    next: 'collbench runs',
  })),
  'interleave-commands': invalid(
    ({ base, other, commands }: { base: string; other: string; commands: readonly string[] }) => ({
      message: `compare --interleave: the runs measured different commands: ${commands.join(' and ')}`,
      details: ['allowed: two runs of the same command, with other options or another environment'],
      next: `collbench compare ${base} ${other}`,
    }),
  ),
  'interleave-unlike': invalid(({ base, other }: { base: string; other: string }) => ({
    message: `compare --interleave: runs ${base} and ${other} have no configuration in common`,
    details: ['allowed: two runs of the same sizes, data types and options of the operation'],
    next: `collbench compare ${base} ${other}`,
  })),
  'parquet-names-its-file': invalid(
    ({ run, out, parquet }: { run: string; out: string; parquet: string }) => ({
      message: `export: --out ${out}: --parquet names its file itself`,
      next: `collbench export ${run} --parquet ${parquet}`,
    }),
  ),
  'which-suite': invalid(() => ({
    message: 'suite: which one?',
    details: ['allowed: the name of one, or a file'],
    next: 'collbench suite --list',
  })),
  'list-or-plan': invalid(() => ({
    message: '--list and --plan-only: two ways to show it',
    details: ['allowed: one'],
    next: { change: { 'plan-only': null } },
  })),
  'baseline-name-unused': invalid(({ action }: { action: string }) => ({
    message: `--name has no effect with baseline ${action}`,
    details: ['it is for set and learn'],
    next: { change: { name: null } },
  })),
  'baseline-takes': invalid(({ action, takes }: { action: string; takes: string }) => ({
    message: `baseline ${action} takes ${takes}`,
    next:
      action === 'show' || action === 'list'
        ? { words: ['baseline', 'list'], keep: ['baselines'] }
        : { words: ['runs'], keep: ['root'] },
  })),
  'no-completion': invalid(({ shell, shells }: { shell: unknown; shells: readonly string[] }) => ({
    message: shell === undefined ? 'completion: which shell?' : `completion ${shell}: no script for it`,
    details: [`allowed: ${shells.join(', ')}`],
    next: { shell: 'source <(collbench completion bash)' },
    ...nextWord(String(shell), shells),
  })),
  'plugin-check-takes-file': invalid(() => ({
    message: 'plugin check takes one file',
    details: ['example: collbench plugin check ./libnccl-net-x.so'],
    next: 'collbench plugin --help',
  })),
  'conformance-interface': invalid(
    ({ which, interfaces }: { which: string; interfaces: readonly string[] }) => ({
      message: which === '' ? 'conformance needs an interface' : `conformance ${which}: no such interface`,
      details: [`allowed: ${interfaces.join(', ')}`],
      next: 'collbench conformance mlx5',
      ...nextWord(which, interfaces),
    }),
  ),
  'adapters-of-sisci': invalid(({ which }: { which: string }) => ({
    message: `--adapters has no effect with conformance ${which}`,
    details: ['it is for sisci'],
    next: { change: { adapters: null } },
  })),
  'no-conformance-program': cannotRunHere(({ folder }: { folder: string }) => ({
    message: `no collbench-conformance in ${folder}`,
    details: ['the native build is older than this command, was removed, or has COLLBENCH_CONFORMANCE=OFF'],
    next: { shell: 'npm run build:native' },
  })),
  'no-emulation-built': cannotRunHere(({ which, folder }: { which: string; folder: string }) => ({
    message: `no emulation of ${which} in ${folder}`,
    details: ['the native build is older than this command, was removed, or has COLLBENCH_EMULATED=OFF'],
    next: { shell: 'npm run build:native' },
  })),
  'conformance-ended': cannotRunHere(({ code }: { code: number | null }) => ({
    message: `collbench-conformance ended ${code === null ? 'by a signal' : `with exit code ${code}`}`,
  })),
  'aa-needs-collective': invalid(({ word, known }: { word: string; known: readonly string[] }) => ({
    message: word === '' ? 'aa needs a collective' : `aa ${word}: no such collective`,
    details: [`allowed: ${known.join(', ')}, then its options`],
    next: 'collbench aa allreduce --max 1M',
    ...nextWord(word, known),
  })),
  'option-of-single-run': invalid(({ option }: { option: string }) => ({
    message: `--${option} is for a single run, and aa makes several`,
    details: ['leave it out'],
    next: { change: { [option]: null } },
  })),
  'aa-needs-launches': invalid(({ launches }: { launches: number }) => ({
    message: `--launches ${launches}: with one launch each nothing can be compared`,
    details: ['allowed: 2 or more'],
    next: { change: { launches: '5' } },
  })),
  'crosscheck-one-at-a-time': invalid(
    ({ option, values }: { option: string; values: readonly unknown[] }) => ({
      message: `--${option} ${values.join(',')}: a crosscheck takes one at a time`,
      next: { change: { [option]: String(values[0]) } },
    }),
  ),
  'crosscheck-needs-programs': invalid(() => ({
    message: 'crosscheck needs --nccl-tests DIR or --osu DIR, one of them',
    details: [
      'allowed: a checkout of nccl-tests after make, or the folder of its programs',
      "allowed: where OSU's micro-benchmarks were installed",
    ],
    next: 'collbench crosscheck --help',
  })),
  'crosscheck-not-with': invalid(({ option, peer }: { option: string; peer: string }) => ({
    message: `--${option} has no effect with --${peer}`,
    details: ['allowed: leave it out'],
    next: { change: { [option]: null } },
  })),
  'ranks-here': invalid(({ ranks, max }: { ranks: number; max: number }) => ({
    message: `--ranks ${ranks}: more than ${max} on this machine alone`,
    details: [`allowed: 1 to ${max}, or more on several hosts (--hosts)`],
    next: { change: { ranks: String(max) } },
  })),
  'osu-host-login': invalid(({ host }: { host: string }) => ({
    message: `--hosts ${host}: mpirun takes no user or port of a host`,
    details: ['allowed with --osu: names of hosts; set User and Port of a host in ~/.ssh/config'],
    next: { shell: 'man ssh_config' },
  })),
  'osu-factor': invalid(({ factor }: { factor: number }) => ({
    message: `--factor ${factor}: OSU doubles its sizes`,
    details: ['allowed with --osu: a power of two'],
    next: { change: { factor: '2' } },
  })),
  'osu-types': invalid(({ dtype, op }: { dtype: string; op: string }) => ({
    message: `--dtype ${dtype} --op ${op}: OSU adds floats`,
    details: ['allowed with --osu: --dtype float32 --op sum'],
    next: { change: { dtype: 'float32', op: 'sum' } },
  })),
  'crosscheck-sizes': invalid(({ min, max }: { min: number; max: number }) => ({
    message: `--min ${min} --max ${max}: no sizes`,
    details: ['allowed: 1 <= min <= max'],
  })),
};
