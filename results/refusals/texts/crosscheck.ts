// Refusal messages about crosschecks with nccl-tests, and about the programs that running nccl-tests needs.
import { foldNames } from '../../fold.ts';
import { shellWord } from '../../text.ts';
import { plural } from '../../units.ts';
import { cannotRunHere } from '../wording.ts';

export interface MissingMpirun {
  asked: string | null;
  problem: string;
  program: string;
  hosts: number;
}

export const crosscheckTexts = {
  'nccl-tests-missing': cannotRunHere(
    ({ dir, exists, looked }: { dir: string; exists: boolean; looked: readonly string[] }) => ({
      message: `--nccl-tests ${dir}: ${exists ? 'programs are missing there' : 'no such folder'}`,
      details: [
        ...looked.map((place) => `looked for ${place}`),
        'allowed: a checkout of nccl-tests after make, or the folder of its programs',
      ],
      ...(exists ? { next: { shell: `make -C ${dir} -j` } } : {}),
    }),
  ),
  'no-mpirun': cannotRunHere(({ asked, problem, program, hosts }: MissingMpirun) => ({
    message: `${asked === null ? 'mpirun' : `--mpirun ${asked}`}: ${problem}${hosts > 0 ? ' on this machine' : ''}`,
    details:
      hosts > 0
        ? [
            `mpirun of this machine starts ${program} on ${plural(hosts, 'host')}`,
            'allowed: the MPI of the hosts installed here, too; or the same command, typed on one of the hosts',
          ]
        : [
            `${program} was built with MPI: mpirun starts it, one process per GPU`,
            'allowed: --mpirun with the mpirun of the same MPI, or nccl-tests built with MPI=0',
          ],
    next: { shell: hosts > 0 ? `ls -l ${asked ?? 'mpirun'}` : `ldd ${program}` },
  })),
  'nccl-cannot-run': cannotRunHere(({ reason, remedy }: { reason: string; remedy: string }) => ({
    message: 'engine nccl cannot run here',
    details: [reason, remedy].filter((text) => text !== ''),
    next: 'collbench transports --explain',
  })),
  'osu-missing': cannotRunHere(
    ({ dir, exists, missing }: { dir: string; exists: boolean; missing: readonly string[] }) => ({
      message: `--osu ${dir}: ${exists ? `no ${missing.join(', ')} there` : 'no such folder'}`,
      details: [
        'allowed: where OSU was installed, or the folder of its collective programs',
        'build it with the mpicc of the MPI to measure, and name its --prefix',
      ],
    }),
  ),
  'osu-missing-on-hosts': cannotRunHere(
    ({ dir, hosts, missing }: { dir: string; hosts: readonly string[]; missing: readonly string[] }) => ({
      message: `--osu ${dir}: no ${missing.join(', ')} on ${foldNames(hosts)}`,
      details: [
        'allowed: a folder that has the programs on every host, under the same path',
        'build it with the mpicc of the MPI to measure, and copy its --prefix to the hosts',
      ],
      next: { shell: `ssh ${hosts[0]} ls ${shellWord(dir)}` },
    }),
  ),
  'osu-no-ssh': cannotRunHere(({ host, why }: { host: string; why: string }) => ({
    message: `${host}: ssh, by which mpirun starts its daemons, failed: ${why}`,
    details: ['allowed: hosts to which ssh logs in without a question'],
    next: { shell: `ssh ${host} true` },
  })),
  'osu-variables-differ': cannotRunHere(({ name, values }: { name: string; values: readonly string[] }) => ({
    message: `--osu: the hosts need different values of ${name}, and mpirun gives all ranks the same`,
    details: [...values, 'allowed: --interface with a name that every host has, or hosts that have it'],
    next: 'collbench crosscheck --help',
  })),
  'crosscheck-needs-two-gpus': cannotRunHere(({ gpus }: { gpus: number }) => ({
    message: `a crosscheck needs two GPUs or more, there is ${gpus}`,
    details: ['allowed: --gpus with two numbers or more'],
  })),
  'nccl-tests-cannot-load': cannotRunHere(
    ({ library, folder, link }: { library: string; folder: string; link: string }) => ({
      message: `${library}: nccl-tests cannot load it`,
      details: [`it loads libnccl.so.2 by name, and ${folder} has no such file`],
      next: { shell: link },
    }),
  ),
};
