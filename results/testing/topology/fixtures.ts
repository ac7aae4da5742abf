import { readFileSync } from 'node:fs';

/** Text of a file in fixtures/; also works for code in dist/. */
export const topologyFixture = (name: string): string =>
  readFileSync(new URL(`../../../../results/testing/topology/fixtures/${name}`, import.meta.url), 'utf8');

/** Text of a log that native tests of the nccl engine also read: "recorded/...", "made/...", expected-logs.json. */
export const ncclLogFixture = (name: string): string =>
  readFileSync(new URL(`../../../../native/engines/nccl/tests/${name}`, import.meta.url), 'utf8');
