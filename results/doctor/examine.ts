import type { DoctorReport } from '../schema/index.ts';
import {
  type CheckResult,
  type CheckRow,
  type DoctorRequest,
  plainName,
  type Severity,
  severities,
} from './check.ts';
import { checks, clusterChecks } from './checks/index.ts';
import type { ClusterView } from './cluster.ts';

export interface DoctorFinding extends CheckResult, CheckRow {
  /** Names of the hosts with this finding; empty if the finding is about all hosts together. */
  hosts: string[];
}

export interface DoctorFindings {
  findings: DoctorFinding[];
  /**
   * Ids of checks without a result, and the reason. `not applicable`: no machine has the hardware or setting, or there is nothing
   * to compare. `other transports`: the user requested transports for which the check does not matter.
   */
  skipped: DoctorReport['skipped'];
}

/** Findings of all doctor checks, with the data about the machines on which they are based. */
export interface ClusterDiagnosis extends DoctorFindings {
  view: ClusterView;
}

/**
 * True if a doctor check with these transports matters for one of the transports that the user requested. Always true if the user
 * named none, or if the check matters for all transports.
 */
const concerns = (transports: DoctorFinding['transports'], request: DoctorRequest): boolean =>
  transports === 'all' ||
  request.transports === null ||
  request.transports.some((name) => transports.includes(plainName(name)));

/** Maximum length of an observation in characters; longer texts, which machines may send, are cut. */
const maxObservation = 1000;
const bounded = (text: string): string =>
  text.length > maxObservation ? `${text.slice(0, maxObservation)}...` : text;

/**
 * Makes all doctor checks: those of a single machine on each machine that answered, and those that compare machines. Checks that
 * matter only for other transports than the requested ones are left out. Hosts with an equal result of a check share one finding.
 * Findings about all hosts together come first.
 */
export function examine(view: ClusterView, request: DoctorRequest): DoctorFindings {
  const findings: DoctorFinding[] = [];
  const skipped: DoctorFindings['skipped'] = [];
  const keep = (check: CheckRow, result: CheckResult, hosts: string[]): void => {
    const seen = { ...result, observation: bounded(result.observation) };
    const { id, title, transports, why } = check;
    const same = findings.find(
      (one) => one.id === id && one.severity === seen.severity && one.observation === seen.observation,
    );
    if (same !== undefined && same.fix === seen.fix) same.hosts.push(...hosts);
    else findings.push({ id, title, transports, why, ...seen, hosts: [...hosts] });
  };
  for (const check of clusterChecks) {
    if (!concerns(check.transports, request)) {
      skipped.push({ id: check.id, reason: 'other transports' });
      continue;
    }
    const seen = check.look(view, request);
    if (seen === null) skipped.push({ id: check.id, reason: 'not applicable' });
    else keep(check, seen, []);
  }
  for (const check of checks) {
    if (!concerns(check.transports, request)) {
      skipped.push({ id: check.id, reason: 'other transports' });
      continue;
    }
    let isSeen = false;
    for (const { name, machine, probed, interface: own } of view.hosts) {
      if (machine === null) continue;
      const seen = check.look(machine, { ...request, interface: own ?? request.interface, probed });
      if (seen === null) continue;
      isSeen = true;
      keep(check, seen, [name]);
    }
    if (!isSeen) skipped.push({ id: check.id, reason: 'not applicable' });
  }
  return { findings, skipped };
}

/** Returns the highest severity of the findings, in the order of `severities` (`error` is the highest); `ok` if there are none. */
export function worstSeverity(findings: readonly DoctorFinding[]): Severity {
  const ranks = findings.map(({ severity }) => severities.indexOf(severity));
  return severities[Math.max(0, ...ranks)] as Severity;
}
