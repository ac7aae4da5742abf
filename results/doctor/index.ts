export {
  type Asked,
  type Check,
  type Probed,
  type Seen,
  type Severity,
  severities,
  type Wanted,
} from './check.ts';
export { checks, clusterChecks } from './checks/index.ts';
export { closedHosts } from './checks/reach.ts';
export type { ClusterCheck, ClusterView, HostView, Knock } from './cluster.ts';
export { type Diagnosis, type Examination, examine, type Finding, worst } from './examine.ts';
export { doctorJson } from './report.ts';
