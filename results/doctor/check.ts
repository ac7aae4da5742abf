import type { MachineReport } from '../machine/index.ts';
import type { TransportName } from '../schema/index.ts';

/** Severities of findings, harmless first. `unknown`: a fact could not be read, so there may be a problem that is not visible. */
export const severities = ['ok', 'note', 'unknown', 'warning', 'error'] as const;
export type Severity = (typeof severities)[number];

/** Result of one check of `collbench doctor`, on one machine or over all machines together. */
export interface CheckResult {
  severity: Severity;
  /** Observation of the check, as a sentence without full stop. */
  observation: string;
  /**
   * Command or setting, as text for the user, that solves the problem that the check found, or that shows what the check could
   * not read. Absent if none is needed or known.
   */
  fix?: string;
}

/**
 * Answer of an engine (library that runs collectives, such as NCCL) to the question whether it can use a transport on this
 * machine. `reason`, `remedy`: texts on why it cannot, and what helps; "" = none. `facts`: what the answer found, as text by
 * name, such as "nccl.version".
 */
export interface TransportProbe {
  engine: string;
  /** Transport in the form in which it was requested: "socket", "plugin:/x.so". */
  transport: string;
  available: boolean;
  reason: string;
  remedy: string;
  facts: Record<string, string>;
}

/**
 * Use that the user intends for the machines. It decides which checks of `collbench doctor` are made and how severe their results
 * are.
 */
export interface DoctorRequest {
  /**
   * Transports that the user wants to use, as typed ("plugin:/x.so"); null if none were named: then checks for all transports are
   * made.
   */
  transports: readonly string[] | null;
  /** Network interface that the user named for data; null if none was named. */
  interface: string | null;
  /** True if the user intends to send data between several machines. */
  spansHosts: boolean;
}

/** Data that a check of one machine may use in addition to the machine's report: the intended use, and engines' answers. */
export interface CheckContext extends DoctorRequest {
  /** Answers of the engines to the question which transports they can use on this machine. */
  probed: readonly TransportProbe[];
}

/** Description of a check that `collbench doctor` makes. */
export interface CheckRow {
  /** Unique id of the check: family and name, separated by a dot. */
  id: string;
  /** Title of the check in reports and in docs/doctor.md: the hardware or setting that is checked. */
  title: string;
  /** Transports for which the check matters. If the user names other transports only, the check is not made. */
  transports: readonly TransportName[] | 'all';
  /** Reason why the result matters to users, in one sentence. */
  why: string;
}

/** A check that `collbench doctor` makes on each machine. The result depends only on the arguments of `look`. */
export interface DoctorCheck extends CheckRow {
  /**
   * Returns the result of the check; null if it does not apply: the machine has no hardware or setting of this kind, or the intended
   * use does not need it.
   */
  look(machine: MachineReport, context: CheckContext): CheckResult | null;
}

export const ok = (observation: string): CheckResult => ({ severity: 'ok', observation });
export const note = (observation: string, fix?: string): CheckResult => seen('note', observation, fix);
export const unknown = (observation: string, fix?: string): CheckResult => seen('unknown', observation, fix);
export const warning = (observation: string, fix: string): CheckResult => seen('warning', observation, fix);
export const error = (observation: string, fix: string): CheckResult => seen('error', observation, fix);

function seen(severity: Severity, observation: string, fix: string | undefined): CheckResult {
  return fix === undefined ? { severity, observation } : { severity, observation, fix };
}

/**
 * True if the user named at least one of these transports, with or without an argument ("plugin:/x.so"); false if no transport
 * was named.
 */
export const isTransportRequested = ({ transports }: DoctorRequest, ...names: TransportName[]): boolean =>
  transports?.some((transport) => names.includes(plainName(transport))) ?? false;

/**
 * Returns the name of a transport without its argument: "plugin" for "plugin:/x.so". It is not checked that such a transport
 * exists.
 */
export const plainName = (transport: string): TransportName =>
  transport.replace(/:.*$/s, '') as TransportName;

/**
 * Joins names for a message by commas: at most `most` of them, and how many more there are: "GPU 0, GPU 1, GPU 2 and 6 more". ""
 * without names.
 */
export function listSome(names: readonly string[], most = 3): string {
  if (names.length <= most) return names.join(', ');
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
