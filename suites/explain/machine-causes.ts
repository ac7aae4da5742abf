// Causes that lie in the machine: processes, limits and the network around the ranks. They concern every engine.
import { numbersOf } from '../../results/fold.ts';
import { percentText, sizeText } from '../../results/units.ts';
import type { CauseRow, CpuLoad, ExplainedMachine } from './causes.ts';
import type { ExplainedOperation, Intervention } from './variants.ts';

/** Number of CPUs in use by other processes from which these processes are a suspect. */
const minOtherCpus = 0.1;
/** Busy share, 0 to 1, below which a CPU counts as idle. */
const maxIdleShare = 0.1;
/** Values from which a cause is a suspect: share of time in which a CPU quota stops the ranks, and retransmits per operation. */
const [minThrottled, minRetransmits] = [0.01, 0.01];
/** Buffer size in bytes that never limits a connection within a machine (native/transports/socket/README.md). */
const enoughBufferBytes = 2 ** 20;
/** Value of --socket-buffer for the experiment if the kernel limits buffers to less than `enoughBufferBytes`. */
const triedBuffer = '4M';

/** Possible causes of lost time that lie in the machine, with their experiments. */
export const machineCauses: readonly CauseRow[] = [
  {
    id: 'others-load',
    title: 'other processes on the CPUs of the ranks',
    stops: true,
    suspicion(operation, machine) {
      const others = otherCpus(operation, machine);
      if (others === null || others < minOtherCpus) return null;
      return { share: Math.min(1, others / machine.ranks), text: othersText(others, machine) };
    },
    interventions(operation, machine) {
      const others = otherCpus(operation, machine);
      if (others === null) return { reason: 'the load of the CPUs is not known' };
      if (others < minOtherCpus) return { absent: othersText(others, machine) };
      return { changes: [...idleCpus(operation, machine), ...raisedPriority(operation)] };
    },
  },
  {
    id: 'cpu-quota',
    title: 'the quota of processor time',
    stops: true,
    suspicion: ({ throttledShare: share }) =>
      share === null || share < minThrottled
        ? null
        : { share: Math.min(1, share), text: `throttled for ${percentText(share)} of the time` },
    interventions({ throttledShare: share, options: { cpuQuota } }) {
      if (cpuQuota === 'leave') return { absent: 'the ranks run outside of control groups with a quota' };
      if (share === null) return { absent: 'no control group of the ranks has one' };
      if (share < minThrottled) return { absent: `throttled for ${percentText(share)} of the time` };
      return {
        changes: [{ title: 'running without the quota of processor time', change: { cpuQuota: 'leave' } }],
      };
    },
  },
  {
    id: 'loss',
    title: 'lost TCP segments',
    stops: true,
    suspicion(operation) {
      const { retransmitsPerOperation: again } = operation;
      if (!isOverTcp(operation) || again === null || again < minRetransmits) return null;
      // Share of the operations with at least one retransmit, if retransmits are spread over the operations at random.
      return { share: -Math.expm1(-again), text: retransmitText(again) };
    },
    interventions(operation) {
      const { retransmitsPerOperation: again } = operation;
      if (!isOverTcp(operation)) return { absent: 'no TCP connection carries the messages' };
      if (operation.options.skew !== undefined) return { reason: 'ranks are late in all samples' };
      if (again === null) return { reason: 'retransmits were not recorded' };
      if (again < minRetransmits) return { absent: retransmitText(again) };
      return { changes: [{ title: 'no lost TCP segments', change: {}, filter: 'without-timeouts' }] };
    },
  },
  {
    id: 'socket-buffers',
    title: 'the buffers of TCP connections',
    suspicion(operation, machine) {
      const limit = bufferLimit(operation, machine);
      return limit === null ? null : { share: 1 - limit / enoughBufferBytes, text: bufferText(limit) };
    },
    interventions(operation, machine) {
      if (!isOverTcp(operation)) return { absent: 'no TCP connection carries the messages' };
      const { maxBufferBytes: bytes } = machine;
      if (operation.options.socketBuffer !== undefined)
        return { changes: [{ title: 'buffers as the kernel chooses', change: { socketBuffer: null } }] };
      if (bytes === null) return { reason: 'the limit of the kernel is not known' };
      if (bufferLimit(operation, machine) === null) return { absent: bufferText(bytes) };
      return { changes: [{ title: `buffers of ${triedBuffer}iB`, change: { socketBuffer: triedBuffer } }] };
    },
  },
];

/**
 * Mean number of CPUs that processes other than the ranks use: the higher of the number measured during the run and of a reading
 * just before the experiments; null = both are unknown.
 */
function otherCpus({ competingCores }: ExplainedOperation, { loads }: ExplainedMachine): number | null {
  const now = loads.reduce((sum, { share }) => sum + share, 0);
  if (competingCores === null) return loads.length === 0 ? null : now;
  return Math.max(competingCores, now);
}

const othersText = (others: number, { cpus }: ExplainedMachine): string =>
  `${others.toFixed(1)} of ${cpus} CPUs are used by other processes`;

const retransmitText = (again: number): string =>
  again === 0
    ? 'no TCP segment was sent again'
    : `${Number((100 * again).toPrecision(2))} TCP segments were sent again in 100 operations`;

const isOverTcp = ({ transport }: ExplainedOperation): boolean => transport === 'socket';

/**
 * The kernel's limit for TCP buffers in bytes, if it may slow down this operation: it runs over transport socket, and the limit is
 * below the payload and below `enoughBufferBytes`. Otherwise, or if the limit is unknown, null.
 */
function bufferLimit(
  operation: ExplainedOperation,
  { maxBufferBytes: bytes }: ExplainedMachine,
): number | null {
  const isLimit = bytes !== null && bytes < Math.min(enoughBufferBytes, operation.payloadBytes);
  return isOverTcp(operation) && isLimit ? bytes : null;
}

const bufferText = (bytes: number): string =>
  `the kernel lets TCP buffers grow to ${sizeText(bytes)} (tcp_rmem, tcp_wmem)`;

/**
 * Experiment that binds the ranks to CPUs that other processes leave idle, if possible each to its own core. Empty if no CPU is
 * busy, if fewer CPUs than ranks are idle, or if the ranks are bound to fewer CPUs than there are ranks: idle CPUs would then
 * change two things at once.
 */
function idleCpus(
  { options: { bind = '' } }: ExplainedOperation,
  { loads, ranks }: ExplainedMachine,
): Intervention[] {
  // The set is empty if the ranks are not bound to CPUs by number.
  const boundTo = new Set(numbersOf(bind)).size;
  if (boundTo > 0 && boundTo < ranks) return [];
  const loadOf = (core: number) =>
    Math.max(...loads.filter((one) => one.core === core).map(({ share }) => share));
  const byLoad = (a: CpuLoad, b: CpuLoad) => loadOf(a.core) - loadOf(b.core) || a.cpu - b.cpu;
  const idle = loads.filter(({ core }) => loadOf(core) < maxIdleShare).sort(byLoad);
  const firsts = idle.filter((one, at) => idle.findIndex(({ core }) => core === one.core) === at);
  const chosen = [...firsts, ...idle.filter((one) => !firsts.includes(one))].slice(0, ranks);
  if (chosen.length < ranks || idle.length === loads.length) return [];
  const list = chosen.map(({ cpu }) => cpu).join(',');
  return [{ title: `ranks on idle CPUs (${list})`, change: { bind: list } }];
}

const raisedPriority = ({ options: { priority } }: ExplainedOperation): Intervention[] =>
  priority === 'high' ? [] : [{ title: 'priority over other processes', change: { priority: 'high' } }];
