export {
  type CheckContext,
  type CheckResult,
  type DoctorCheck,
  type DoctorRequest,
  type Severity,
  severities,
  type TransportProbe,
} from './check.ts';
export { unreachableHosts } from './checks/connections.ts';
export { checks, clusterChecks } from './checks/index.ts';
export type { ClusterCheck, ClusterView, HostConnection, HostView } from './cluster.ts';
export {
  type ClusterDiagnosis,
  type DoctorFinding,
  type DoctorFindings,
  examine,
  worstSeverity as worst,
} from './examine.ts';
export { doctorJson } from './report.ts';
