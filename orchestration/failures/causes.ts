// Likely causes of failures, derived from the last output of ranks and their libraries.
import { rangesText } from '../../results/fold.ts';
import type { RankProgress } from '../protocol.ts';
import type { FailedMessage } from './blame.ts';
import { errorCodes } from './error-codes.ts';

export const sigkillCause =
  'Likely cause: killed by a user, or by the kernel because memory ran out (dmesg | grep -i oom).';

const outOfMemory =
  'Out of memory: lower --max or --ranks, end other processes, or raise the limit of the container or job (memory.max).';

/**
 * Likely causes of failures, as sentences for the user. They are recognised by texts of systems, libraries and frameworks that
 * report no error codes. The first row that matches decides.
 */
const causes: readonly [sign: RegExp, cause: string][] = [
  [
    /out of memory|OutOfMemory|can't allocate memory|ResourceExhausted|MemoryError/,
    'Out of memory: use fewer items of a rank and step (--batch-size, --items), smaller images, or --numerics amp-bf16.',
  ],
  [
    /op\.preamble\.length|[Ss]ize mismatch|Shape mismatch|disagree on the model/,
    'Likely cause: ranks make the same call with tensors of different shapes. Compare the shapes of this rank and the others.',
  ],
  [
    /Too many open files|\bEMFILE\b/,
    'Likely cause: the login on that host may open few files (ulimit -n there): raise it in limits.conf, or use fewer ranks.',
  ],
  [
    /(?:starting a rank process|agent ends): Resource temporarily unavailable|\bEAGAIN\b/,
    'Likely cause: this user or container may have few processes and threads there (ulimit -u, pids.max): raise the limit, end other processes, or use fewer ranks.',
  ],
  [
    /cannot (?:connect to|reach) .*: (?:Network is unreachable|No route to host|Invalid argument|Connection (?:refused|timed out))/,
    'Likely cause: hosts talk over interfaces that do not meet, or a firewall is between them. `collbench doctor --hosts ...` tries connections between them; --interface, or host:iface=NAME, says which one to use.',
  ],
];

export const causeOfText = (words: string): string[] =>
  causes.flatMap(([sign, cause]) => (sign.test(words) ? [cause] : [])).slice(0, 1);

/**
 * Pattern of a failed work completion in the log of NCCL's NET/IB and GIN. The status is a number or a name (enum
 * ibv_wc_status).
 */
const badCompletion = /Got completion from peer .*?status=(?:IBV_WC_)?(\w+)/;

/**
 * Pattern of work completion statuses that only follow an earlier error on the same connection. One is named as the cause only if
 * the log shows no other.
 */
const flushed = /^(?:5|WR_FLUSH_ERR)$/;

function adapterCause(ranks: readonly RankProgress[]): string | null {
  const told = ranks.flatMap(({ rank, engineTail = [] }) =>
    engineTail.flatMap((line) => {
      const status = badCompletion.exec(line)?.[1];
      return status === undefined ? [] : [{ rank, status }];
    }),
  );
  const first = told.find(({ status }) => !flushed.test(status)) ?? told[0];
  return first === undefined
    ? null
    : `Likely cause: the adapter of rank ${first.rank} ended an operation with status ${first.status} (ibv_wc_status), after which its connection takes no more. The log of that rank names the peer.`;
}

/**
 * Returns one sentence about the likely cause of a failed launch; the list is empty if no cause is recognised. For hangs there is
 * always a sentence.
 * @param suspect rank that is suspected of a hang; null = none
 */
export function launchCause(message: FailedMessage, suspect: number | null): string[] {
  const cause = errorCodes.get(message.code)?.cause;
  if (cause !== undefined) return [cause];
  if (message.kind === 'hang') return hangCause(message, suspect);
  if (message.outOfMemory) return [outOfMemory];
  if (message.code === 'SIGKILL') return [sigkillCause];
  return causeOfText(message.reason);
}

function hangCause({ ranks }: FailedMessage, suspect: number | null): string[] {
  const dead = ranks.filter((rank) => !rank.alive).map((rank) => rank.rank);
  if (dead.length > 0) return [`Likely cause: rank ${rangesText(dead)} ended and the others wait for it.`];
  const adapter = adapterCause(ranks);
  if (adapter !== null) return [adapter];
  const isPython = ranks.some(({ stack }) => stack.some((frame) => /\.py:\d+ in /.test(frame)));
  if (isPython)
    return [
      suspect === null
        ? 'Likely cause: ranks wait for each other, for example in different collectives. Compare their stacks.'
        : `Likely cause: the others wait for rank ${suspect}. Its stack shows where it is.`,
    ];
  if (ranks.every(({ phase }) => phase === 'connecting'))
    return [
      'Likely cause: connect or accept of the transport never ends (a closed port, a plugin). The stacks show the call.',
    ];
  if (suspect === null)
    return [
      'Likely cause: no rank is behind the others, so the transport lost a message, or never took one.',
    ];
  return [`Likely cause: rank ${suspect} is behind the others (stopped process, or its link).`];
}
