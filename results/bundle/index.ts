/** Writes a run as one redacted file that can be given away, and reads such a file. */
export { isBundle } from './packed.ts';
export { type BundleLocation, readBundle } from './read.ts';
export { Redactor } from './redact.ts';
export { redactedRun } from './redacted-run.ts';
export { bundleKind, bundleVersion, writeBundle } from './write.ts';
