export { type WrittenReport, writeReport } from './write.ts';
