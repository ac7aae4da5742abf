import type { DoctorReport } from '../schema/index.ts';
import { type ClusterDiagnosis, worstSeverity } from './examine.ts';

/**
 * Returns the result of `collbench doctor` as an object, which the caller prints as JSON (results/schema/generated/doctor.json).
 * Its time `at` is the time of this call.
 * @param transports transports that the user requested, stored in the result; null = all. The findings are already limited to
 * these
 * @param exitCode exit code of the command, stored in the result
 */
export function doctorJson(
  { findings, skipped, view }: ClusterDiagnosis,
  transports: string[] | null,
  exitCode: number,
  collbenchVersion: string,
): DoctorReport {
  return {
    schemaVersion: 1,
    collbenchVersion,
    at: new Date().toISOString(),
    hosts: view.hosts.map(({ machine, probed: _probed, interface: _interface, ...host }) => ({
      ...host,
      machine: machine === null ? null : { ...machine },
    })),
    transports,
    findings: findings.map(({ fix = null, transports: of, ...one }) => ({
      ...one,
      fix,
      transports: of === 'all' ? of : [...of],
    })),
    skipped,
    connections: view.connections,
    untriedPairs: view.untriedPairs,
    worst: worstSeverity(findings),
    exitCode,
  };
}
