import type { MachineReport } from '../machine/index.ts';
import type { TransportName } from '../schema/index.ts';

/** From harmless to grave; `unknown` is no `ok`: what could not be seen may be anything. */
export const severities = ['ok', 'note', 'unknown', 'warning', 'error'] as const;
export type Severity = (typeof severities)[number];

/** What a check saw on one machine. */
export interface CheckResult {
  severity: Severity;
  /** A sentence without its full stop. */
  saw: string;
  /** A command or a setting; absent where nothing is to be done. */
  fix?: string;
}

/** What a probe of a transport by its engine said. */
export interface TransportProbe {
  engine: string;
  /** As asked for: "socket", "plugin:/x.so". */
  transport: string;
  available: boolean;
  reason: string;
  remedy: string;
  facts: Record<string, string>;
}

/** What is wanted of the machines. */
export interface DoctorRequest {
  /** Transports that are to be used; null = none were named, so all are looked at. */
  transports: readonly string[] | null;
  /** Network interface that was named for data. */
  interface: string | null;
  /** Whether data go to other machines. */
  spansHosts: boolean;
}

/** What is known beside the machine itself. */
export interface CheckContext extends DoctorRequest {
  /** What the engines there say of transports. */
  probed: readonly TransportProbe[];
}

/** A look at one machine. Pure: the same facts give the same finding. */
export interface DoctorCheck {
  /** "family.what", unique. */
  id: string;
  /** What is looked at, as docs/doctor.md lists it. */
  title: string;
  /** Transports it matters to. */
  transports: readonly TransportName[] | 'all';
  /** Why it matters. */
  why: string;
  /** null = there is nothing here that it could be about. */
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

/** Whether a transport of this name was asked for. */
export const isTransportRequested = ({ transports }: DoctorRequest, ...names: TransportName[]): boolean =>
  transports?.some((transport) => names.includes(plainName(transport))) ?? false;

/** "plugin" of "plugin:/x.so". */
export const plainName = (transport: string): TransportName =>
  transport.replace(/:.*$/s, '') as TransportName;

/** "GPU 0, GPU 1 and 6 more" */
export function listSome(names: readonly string[], most = 3): string {
  if (names.length <= most) return names.join(', ');
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
