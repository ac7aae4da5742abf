// OSU's micro-benchmarks as the other program of a crosscheck, over the MPI of engine mpi.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { ImportError, type ImportedRow } from '../../results/import/imported-output.ts';
import { readOsu } from '../../results/import/osu.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CollectiveName, CrosscheckOptions } from '../../results/schema/index.ts';
import { osuArguments, osuPrograms, osuSizes } from '../../suites/crosscheck/osu.ts';
import type { CrosscheckHost } from './engine.ts';
import { findMpirun, type MpirunProgram } from './mpi.ts';
import { call, type NcclTestsCall, ncclTestsFailure } from './nccl-tests.ts';
import { lookOnHosts, type OsuOnHosts } from './osu-hosts.ts';
import { type PeerPrograms, type PeerSide, unknownPeerFacts } from './peer.ts';

type OsuOptions = NonNullable<CrosscheckOptions['osu']>;

/**
 * Folders, relative to --osu, in which the programs may be; the first that has the program is used. They are the folders of OSU's
 * `make install` and of its archives, releases 5 to 7. The first one, '', is the folder of --osu itself.
 */
const places = [
  ...['', 'mpi/collective', 'c/mpi/collective/blocking', 'mpi/collective/blocking'],
  ...['libexec/osu-micro-benchmarks/mpi/collective', 'libexec/osu-micro-benchmarks/mpi/collective/blocking'],
];

/**
 * Finds the OSU programs. If the user named hosts, the programs are searched on these when prepare() is called; otherwise on this
 * machine, at once.
 * @param osu folder of the programs, and hosts that the user named; no hosts = this machine
 * @throws Refusal if a program is missing on this machine, or --factor is no power of two, which OSU does not support. prepare()
 * throws it if a program is missing on a host
 */
export function findOsu(options: CrosscheckOptions, osu: OsuOptions): PeerPrograms {
  const { factor, collectives } = options;
  if (!Number.isInteger(Math.log2(factor))) throw refuse('osu-factor', { factor });
  const candidates = new Map(
    collectives.map((collective) => {
      const name = osuPrograms[collective] ?? collective;
      return [collective, places.map((place) => path.resolve(osu.folder, place, name))] as const;
    }),
  );
  const foundHere = osu.hosts.length > 0 ? null : osuFiles(candidates, osu, null);
  return {
    name: 'OSU',
    collectives,
    async prepare(ours) {
      const { ranks, hosts } = ours;
      const remote =
        foundHere === null ? await lookOnHosts(hosts, [...candidates.values()].flat(), osu) : null;
      const files = foundHere ?? osuFiles(candidates, osu, remote);
      const mpirun = findMpirun(ours.library.path, [...files.values()][0] ?? '', hosts.length);
      const env = {
        ...process.env,
        ...ours.environment,
        ...(remote?.environment ?? yielding(mpirun, ranks)),
      };
      const before = (some: number) => [
        mpirun.file,
        ...(remote === null ? hereWords(mpirun, some) : hostWords(mpirun, some, hosts, remote.client)),
      ];
      return async (collective, folder, signal) => {
        const file = files.get(collective) ?? '';
        const keep = (round: number) => path.join(folder, `${collective}-${round}`);
        const name = `mpirun ${path.basename(file)}`;
        const callOf = (words: readonly string[], keepAt: string | null): NcclTestsCall => {
          const [first = '', ...args] = words;
          return { name, file: first, args, env, timeoutS: options.timeoutS, keep: keepAt, phase: 'OSU' };
        };
        // Older releases have no option -T, and always add floats.
        const help = await call(callOf([...before(1), file, '-h'], null), signal);
        const takesType = /^\s*-T\b/m.test(help.text + help.errors.join('\n'));
        const words = [...before(ranks), file, ...osuArguments(collective, options, ranks, takesType)];
        return osuSide({ collective, options, ranks }, words, (round) =>
          measure(callOf(words, keep(round)), ranks, signal),
        );
      };
    },
  };
}

/**
 * Returns the path of the OSU program for each collective: the first of its candidate paths that exists; on hosts, the first that
 * exists on every host.
 * @param remote files that the hosts have; null = the programs run on this machine
 * @throws Refusal if a collective has no program
 */
function osuFiles(
  candidates: ReadonlyMap<CollectiveName, readonly string[]>,
  { folder: dir }: OsuOptions,
  remote: OsuOnHosts | null,
): Map<CollectiveName, string> {
  const exists = (file: string) =>
    remote?.hosts.every(({ found }) => found.includes(file)) ?? existsSync(file);
  const files = new Map<CollectiveName, string>();
  const missing: string[] = [];
  for (const [collective, paths] of candidates) {
    const file = paths.find(exists);
    if (file === undefined) missing.push(osuPrograms[collective] ?? collective);
    else files.set(collective, file);
  }
  if (missing.length === 0) return files;
  if (remote === null) throw refuse('osu-missing', { dir, exists: existsSync(dir), missing });
  const lacking = remote.hosts.filter(
    ({ found }) => !missing.every((name) => found.some((file) => path.basename(file) === name)),
  );
  throw refuse('osu-missing-on-hosts', { dir, missing, hosts: lacking.map(({ host }) => host) });
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
 * Returns the environment variables with which waiting ranks of Open MPI yield the core, if there are more ranks than
 * cores; {} otherwise, and for other MPIs. Collbench's ranks yield in the same case.
 */
const yielding = ({ isOpenMpi }: MpirunProgram, ranks: number): Record<string, string> =>
  isOpenMpi && ranks > availableParallelism() ? { OMPI_MCA_mpi_yield_when_idle: '1' } : {};

const asRoot = () => (process.getuid?.() === 0 ? ['--allow-run-as-root'] : []);

/**
 * Returns the arguments of mpirun, without "mpirun", before the program, for ranks on this machine. Engine mpi uses the same
 * options (native/engines/mpi/launcher.cc).
 */
function hereWords({ isOpenMpi }: MpirunProgram, ranks: number): string[] {
  if (!isOpenMpi) return ['-np', String(ranks), '-host', 'localhost'];
  return [...asRoot(), '-np', String(ranks), '--host', `localhost:${ranks}`, '--bind-to', 'none'];
}

/**
 * Returns the arguments of mpirun, without "mpirun", before the program, for ranks on several hosts. Ranks fill one host after
 * another, as in collbench.
 * @param client address of this machine that the hosts can reach
 */
function hostWords(
  { isOpenMpi }: MpirunProgram,
  ranks: number,
  hosts: readonly CrosscheckHost[],
  client: string,
): string[] {
  const list = hosts.map((host) => `${host.address}:${host.ranks}`).join(',');
  // The folder of this machine may be missing on the hosts.
  const common = ['-np', String(ranks), '-wdir', '/'];
  if (!isOpenMpi) return ['-launcher', 'ssh', '-localhost', client, '-hosts', list, ...common];
  return [...asRoot(), '--host', list, '--map-by', 'slot', '--bind-to', 'none', ...common];
}

/**
 * Runs an OSU program once. The rows keep the order of its output. `version`: release of OSU, null if the output does not say it.
 * @throws FailureError if the program cannot be started, fails, does not end in time, is interrupted or reports wrong data, or its
 * output shows another number of ranks or data type than requested
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
