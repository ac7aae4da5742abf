// OSU's micro-benchmarks as the other program of a crosscheck, over the MPI of engine mpi.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { ImportError, type ImportedRow } from '../../results/import/imported-output.ts';
import { readOsu } from '../../results/import/osu.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CollectiveName, CrosscheckOptions } from '../../results/schema/index.ts';
import { osuArguments, osuPrograms, osuSizes } from '../../suites/crosscheck/osu.ts';
import { findMpirun, type MpirunProgram } from './mpi.ts';
import { call, type NcclTestsCall, ncclTestsFailure } from './nccl-tests.ts';
import { type PeerPrograms, type PeerSide, unknownPeerFacts } from './peer.ts';

type OsuOptions = NonNullable<CrosscheckOptions['osu']>;

/**
 * Folders below --osu in which the programs can be; the first that has the program is used. OSU's `make install` and its
 * archives, releases 5 to 7, put them there.
 */
const places = [
  ...['', 'mpi/collective', 'c/mpi/collective/blocking', 'mpi/collective/blocking'],
  ...['libexec/osu-micro-benchmarks/mpi/collective', 'libexec/osu-micro-benchmarks/mpi/collective/blocking'],
];

/**
 * Finds the OSU programs. @throws Refusal if a program is missing, or --factor is no power of two, which OSU does not
 * support
 */
export function findOsu(options: CrosscheckOptions, sizeOptions: OsuOptions): PeerPrograms {
  const { factor, collectives } = options;
  if (!Number.isInteger(Math.log2(factor))) throw refuse('osu-factor', { factor });
  const files = new Map<CollectiveName, string>();
  for (const collective of collectives) {
    const name = osuPrograms[collective] ?? collective;
    const file = places
      .map((place) => path.resolve(sizeOptions.folder, place, name))
      .find((at) => existsSync(at));
    if (file !== undefined) files.set(collective, file);
  }
  const missing = collectives.filter((one) => !files.has(one)).map((one) => osuPrograms[one] ?? one);
  if (missing.length > 0)
    throw refuse('osu-missing', { dir: sizeOptions.folder, exists: existsSync(sizeOptions.folder), missing });
  return {
    name: 'OSU',
    collectives,
    prepare(ours) {
      const mpirun = findMpirun(ours.library.path, [...files.values()][0] ?? '');
      const env = { ...process.env, ...ours.environment, ...yielding(mpirun, sizeOptions.ranks) };
      return async (collective, folder, signal) => {
        const file = files.get(collective) ?? '';
        const keep = (round: number) => path.join(folder, `${collective}-${round}`);
        const name = `mpirun ${path.basename(file)}`;
        const callOf = (words: readonly string[], keepAt: string | null): NcclTestsCall => {
          const [first = '', ...args] = words;
          return { name, file: first, args, env, timeoutS: options.timeoutS, keep: keepAt, phase: 'OSU' };
        };
        // Older releases have no option -T, and always add floats.
        const help = await call(callOf([...before(mpirun, 1), file, '-h'], null), signal);
        const takesType = /^\s*-T\b/m.test(help.text + help.errors.join('\n'));
        const words = [
          ...before(mpirun, sizeOptions.ranks),
          file,
          ...osuArguments(collective, options, sizeOptions.ranks, takesType),
        ];
        return osuSide({ collective, options, ranks: sizeOptions.ranks }, words, (round) =>
          measure(callOf(words, keep(round)), sizeOptions.ranks, signal),
        );
      };
    },
  };
}

type OsuMeasurement = Awaited<ReturnType<typeof measure>>;

function osuSide(
  { collective, options, ranks }: { collective: CollectiveName; options: CrosscheckOptions; ranks: number },
  words: string[],
  measured: (round: number) => Promise<OsuMeasurement>,
): PeerSide {
  let said = unknownPeerFacts;
  return {
    name: 'OSU',
    expected: osuSizes(collective, options, ranks),
    processes: ranks,
    commandLine: () => words,
    facts: () => said,
    async measure(round) {
      const { version, rows } = await measured(round);
      said = { ...unknownPeerFacts, version };
      return new Map(
        rows.flatMap(({ payloadBytes, timeNs }) => (timeNs === null ? [] : [[payloadBytes, timeNs]])),
      );
    },
  };
}

/**
 * Environment variables with which idle ranks of Open MPI yield the core if there are more ranks than cores; {} otherwise,
 * and for other MPIs. Collbench's ranks do the same.
 */
const yielding = ({ isOpenMpi }: MpirunProgram, ranks: number): Record<string, string> =>
  isOpenMpi && ranks > availableParallelism() ? { OMPI_MCA_mpi_yield_when_idle: '1' } : {};

/**
 * Words of the command line before the program: mpirun with the same options as engine mpi uses
 * (native/engines/mpi/launcher.cc).
 */
function before({ file, isOpenMpi }: MpirunProgram, ranks: number): string[] {
  if (!isOpenMpi) return [file, '-np', String(ranks), '-host', 'localhost'];
  const asRoot = process.getuid?.() === 0 ? ['--allow-run-as-root'] : [];
  return [file, ...asRoot, '-np', String(ranks), '--host', `localhost:${ranks}`, '--bind-to', 'none'];
}

/**
 * Runs an OSU program once. The rows keep the order of its output.
 * @throws FailureError if the program cannot be started, fails, is interrupted or reports wrong data, or its output is not
 * as requested
 */
async function measure(
  request: NcclTestsCall,
  ranks: number,
  signal: AbortSignal,
): Promise<{ version: string | null; rows: ImportedRow[] }> {
  const { text, code, errors } = await call(request, signal);
  const details = [
    ...errors,
    ...text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-5),
  ];
  const wrong = (message: string, more: string[] = []) =>
    ncclTestsFailure(request, {
      kind: 'setup',
      message: `${request.name} ${message}`,
      details: [...more, ...details],
    });
  if (text.match(/^# OSU /gm)?.length !== 1) {
    const hint = 'mpirun must be the one of the MPI that the programs were built with (--mpirun PATH).';
    throw wrong(`did not run as one program of ${ranks} ranks (exit code ${code})`, [hint]);
  }
  if (code !== 0) throw wrong(`ended with exit code ${code}`);
  try {
    const { versions, rows, saysWrong } = readOsu({ text }, { ranks, collective: null, sizeBytes: null });
    if (saysWrong)
      throw ncclTestsFailure(request, {
        kind: 'wrong-data',
        message: `${request.name} reports wrong data`,
        details,
      });
    const other = rows.find(({ op, dtype }) => op !== null && dtype !== 'float32' && dtype !== 'unknown');
    if (other !== undefined) throw wrong(`measured ${other.dtype} where float32 was asked for`);
    return { version: versions.osu ?? null, rows };
  } catch (error) {
    if (error instanceof ImportError) throw wrong(error.message);
    throw error;
  }
}
