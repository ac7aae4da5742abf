import type { TransportName } from '../schema/index.ts';
import { type CheckResult, type DoctorRequest, plainName, type Severity, severities } from './check.ts';
import { checks, clusterChecks } from './checks/index.ts';
import type { ClusterView } from './cluster.ts';

export interface DoctorFinding extends CheckResult {
  id: string;
  title: string;
  transports: readonly TransportName[] | 'all';
  why: string;
  /** Machines with this finding; empty if it is about all machines together. */
  hosts: string[];
}

export interface DoctorFindings {
  findings: DoctorFinding[];
  /** Checks with nothing to examine on these machines, or of transports that were not requested. */
  passedOver: { id: string; because: 'nothing here' | 'other transports' }[];
}

/** Findings and the machines that were examined. */
export interface ClusterDiagnosis extends DoctorFindings {
  view: ClusterView;
}

/** True if a check concerns one of the requested transports. */
const concerns = (transports: DoctorFinding['transports'], asked: DoctorRequest): boolean =>
  transports === 'all' ||
  asked.transports === null ||
  asked.transports.some((name) => transports.includes(plainName(name)));

/** Maximum length of an observation, since texts from a machine may have any length. */
const longestSaw = 1000;
const bounded = (text: string): string =>
  text.length > longestSaw ? `${text.slice(0, longestSaw)}...` : text;

/** Runs all checks on all machines; hosts with equal results share a finding. */
export function examine(view: ClusterView, asked: DoctorRequest): DoctorFindings {
  const findings: DoctorFinding[] = [];
  const passedOver: DoctorFindings['passedOver'] = [];
  const keep = (
    check: Omit<DoctorFinding, 'hosts' | keyof CheckResult>,
    told: CheckResult,
    hosts: string[],
  ): void => {
    const seen = { ...told, saw: bounded(told.saw) };
    const { id, title, transports, why } = check;
    const same = findings.find(
      (one) => one.id === id && one.severity === seen.severity && one.saw === seen.saw,
    );
    if (same !== undefined && same.fix === seen.fix) same.hosts.push(...hosts);
    else findings.push({ id, title, transports, why, ...seen, hosts: [...hosts] });
  };
  for (const check of clusterChecks) {
    if (!concerns(check.transports, asked)) {
      passedOver.push({ id: check.id, because: 'other transports' });
      continue;
    }
    const seen = check.look(view, asked);
    if (seen === null) passedOver.push({ id: check.id, because: 'nothing here' });
    else keep(check, seen, []);
  }
  for (const check of checks) {
    if (!concerns(check.transports, asked)) {
      passedOver.push({ id: check.id, because: 'other transports' });
      continue;
    }
    let isSeen = false;
    for (const { name, machine, probed, interface: own } of view.hosts) {
      if (machine === null) continue;
      const seen = check.look(machine, { ...asked, interface: own ?? asked.interface, probed });
      if (seen === null) continue;
      isSeen = true;
      keep(check, seen, [name]);
    }
    if (!isSeen) passedOver.push({ id: check.id, because: 'nothing here' });
  }
  return { findings, passedOver };
}

/** The most severe finding; `ok` without findings. */
export function worstSeverity(findings: readonly DoctorFinding[]): Severity {
  const ranks = findings.map(({ severity }) => severities.indexOf(severity));
  return severities[Math.max(0, ...ranks)] as Severity;
}
