import { worst } from '../../results/doctor/index.ts';
import type { DoctorReport } from '../../results/schema/index.ts';
import { version } from '../native.ts';
import type { Diagnosis } from './diagnose.ts';
import type { DoctorOptions } from './options.ts';

/** The diagnosis for programs (results/schema/generated/doctor.json). */
export function doctorJson(
  { findings, passedOver, view }: Diagnosis,
  { transports }: DoctorOptions,
  exitCode: number,
): DoctorReport {
  return {
    schemaVersion: 1,
    collbenchVersion: version(),
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
    passedOver,
    knocks: view.knocks,
    untried: view.untried,
    worst: worst(findings),
    exitCode,
  };
}
