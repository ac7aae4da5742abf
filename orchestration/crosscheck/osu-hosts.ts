// OSU's benchmarks on several hosts: finds the programs there, and what mpirun needs to start them by ssh.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CrosscheckOptions } from '../../results/schema/index.ts';
import { shellWord } from '../../results/text.ts';
import type { CrosscheckHost } from './engine.ts';

const timeoutMs = 60_000;

export interface OsuOnHosts {
  /**
   * For each host the requested files that it has and can execute, as absolute paths. The hosts are in the order of the request;
   * `host` is a name, not an address.
   */
  hosts: readonly { host: string; found: string[] }[];
  /** Address of this machine as the first host sees it, so that the hosts can connect to it; "" if it is not known. */
  client: string;
  /** Environment variables for mpirun: they make it start its daemons with the same ssh options as this search used. */
  environment: Record<string, string>;
}

/**
 * Looks for programs on all hosts at once, with the ssh options that mpirun will use. A program that a host lacks is no error.
 * @param files absolute paths of the programs
 * @throws Refusal if ssh to a host fails or takes longer than 60 s
 */
export async function lookOnHosts(
  hosts: readonly CrosscheckHost[],
  files: readonly string[],
  { sshConfig }: NonNullable<CrosscheckOptions['osu']>,
): Promise<OsuOnHosts> {
  const config = sshConfig === null ? [] : ['-F', path.resolve(sshConfig)];
  // No login may ask a question, and host keys are always checked.
  const options = ['-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=yes', ...config];
  const answers = await Promise.all(hosts.map((host) => lookOn(host, files, options)));
  const agent = ['ssh', ...options].join(' ');
  return {
    hosts: answers,
    client: answers[0]?.client ?? '',
    environment: {
      OMPI_MCA_plm_rsh_agent: agent,
      PRTE_MCA_plm_ssh_agent: agent,
      HYDRA_LAUNCHER_EXTRA_ARGS: options.join(' '),
    },
  };
}

interface HostAnswer {
  host: string;
  found: string[];
  client: string;
}

/**
 * Finds out which of the files one host has and can execute, and the address of this machine as the host sees it ("" if it does
 * not know).
 * @throws Refusal if ssh fails or takes longer than 60 s
 */
async function lookOn(
  { name, address }: CrosscheckHost,
  files: readonly string[],
  options: readonly string[],
): Promise<HostAnswer> {
  const script = `for f; do if test -x "$f"; then echo "file $f"; fi; done; echo "client $SSH_CONNECTION"`;
  const command = ['sh', '-c', script, 'sh', ...files].map(shellWord).join(' ');
  try {
    const { stdout } = await promisify(execFile)('ssh', [...options, '--', address, command], {
      timeout: timeoutMs,
    });
    const lines = stdout.split('\n');
    const valuesOf = (word: string) =>
      lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
    return { host: name, found: valuesOf('file'), client: valuesOf('client')[0]?.split(' ')[0] ?? '' };
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const why = stderr.trim().split('\n').at(-1);
    throw refuse('osu-no-ssh', { host: name, why: why === undefined || why === '' ? message : why });
  }
}
