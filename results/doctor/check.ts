import type { MachineReport } from '../machine/index.ts';
import type { TransportName } from '../schema/index.ts';

/** Severities from harmless to grave. `unknown` differs from `ok`: a fact that could not be read may be a problem. */
export const severities = ['ok', 'note', 'unknown', 'warning', 'error'] as const;
export type Severity = (typeof severities)[number];

/** Result of a check on one machine. */
export interface CheckResult {
  severity: Severity;
  /** The observation as a sentence without its full stop. */
  saw: string;
  /** A command or a setting that solves the problem; absent if nothing is to be done. */
  fix?: string;
}

/** Result of an engine's probe of a transport. */
export interface TransportProbe {
  engine: string;
  /** Transport as requested: "socket", "plugin:/x.so". */
  transport: string;
  available: boolean;
  reason: string;
  remedy: string;
  facts: Record<string, string>;
}

/** Requirements for the machines. */
export interface DoctorRequest {
  /** Transports that will be used; null if none were named, so all are examined. */
  transports: readonly string[] | null;
  /** Network interface that the user named for data; null if none. */
  interface: string | null;
  /** True if data are sent to other machines. */
  spansHosts: boolean;
}

/** Facts in addition to the machine's own report. */
export interface CheckContext extends DoctorRequest {
  /** Results of the engines' probes of transports on this machine. */
  probed: readonly TransportProbe[];
}

/** A check of one machine. Pure: the same facts give the same result. */
export interface DoctorCheck {
  /** Unique id: "family.what". */
  id: string;
  /** Title in docs/doctor.md: the property that is checked. */
  title: string;
  /** Transports for which the check matters. */
  transports: readonly TransportName[] | 'all';
  /** Reason why users should care, one sentence. */
  why: string;
  /** Returns null if the machine has nothing that the check applies to. */
  look(machine: MachineReport, asked: CheckContext): CheckResult | null;
}

export const ok = (saw: string): CheckResult => ({ severity: 'ok', saw });
export const note = (saw: string, fix?: string): CheckResult => seen('note', saw, fix);
export const unknown = (saw: string, fix?: string): CheckResult => seen('unknown', saw, fix);
export const warning = (saw: string, fix: string): CheckResult => seen('warning', saw, fix);
export const error = (saw: string, fix: string): CheckResult => seen('error', saw, fix);

function seen(severity: Severity, saw: string, fix: string | undefined): CheckResult {
  return fix === undefined ? { severity, saw } : { severity, saw, fix };
}

/** True if the user requested a transport of one of these names. */
export const isTransportRequested = ({ transports }: DoctorRequest, ...names: TransportName[]): boolean =>
  transports?.some((transport) => names.includes(plainName(transport))) ?? false;

/** Name of a transport without its argument: "plugin" of "plugin:/x.so". */
export const plainName = (transport: string): TransportName =>
  transport.replace(/:.*$/s, '') as TransportName;

/** The first `most` names and the number of the others: "GPU 0, GPU 1, GPU 2 and 6 more". */
export function listSome(names: readonly string[], most = 3): string {
  if (names.length <= most) return names.join(', ');
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
