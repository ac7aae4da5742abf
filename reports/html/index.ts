export { type ReportFiles, writeReport } from './write.ts';
