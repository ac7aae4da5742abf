// Pages for the approval tests: one of each form, from synthetic and recorded runs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backgroundOf } from '../../results/background.ts';
import { compareRuns } from '../../results/compare/compare-runs.ts';
import { openRun } from '../../results/store/read.ts';
import { syntheticRecord } from '../../results/testing/run.ts';
import { comparisonPage } from '../comparison/document.ts';
import { recordedRun } from '../fixtures/recorded.ts';
import { syntheticBlocks } from '../fixtures/samples.ts';
import { endedSuite } from '../fixtures/suite.ts';
import { syntheticRun, syntheticTroubledRun } from '../fixtures/synthetic.ts';
import { systemLoadRun } from '../fixtures/system-load.ts';
import { stencilRun, trainRun } from '../fixtures/workloads.ts';
import { suitePage } from '../html/suite.ts';
import { writeReport } from '../html/write.ts';
import type { ReportRun } from '../series.ts';

/** Writes a page into a folder. @returns path of its file */
type PageWriter = (folder: string) => Promise<string>;

const ofRun =
  (run: () => ReportRun | Promise<ReportRun>): PageWriter =>
  async (folder) =>
    (await writeReport([await run()], folder)).html;

const recorded =
  (name: string): PageWriter =>
  async (folder) => {
    const run = await openRun(fileURLToPath(new URL(`../../../results/reference/${name}`, import.meta.url)));
    return (await writeReport([run], folder, await backgroundOf(run))).html;
  };

const ofText =
  (page: () => string | Promise<string>): PageWriter =>
  async (folder) => {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'page.html');
    writeFileSync(file, await page());
    return file;
  };

const slower = () =>
  syntheticRecord({ id: 'bbbbbb', seed: 2, factor: (bytes) => (bytes >= 2 ** 22 ? 1.06 : 1) });

export const pages: Record<string, PageWriter> = {
  'two-transports': ofRun(() => {
    const run = syntheticRun();
    return {
      ...run,
      blocks: async function* () {
        yield* syntheticBlocks(run);
      },
    };
  }),
  troubled: ofRun(syntheticTroubledRun),
  loaded: ofRun(systemLoadRun),
  gpus: recorded('nccl-2-h200'),
  'one-transport-on-gpus': recorded('nccl-4-h200'),
  'control-paths': recorded('controlpath-2-h200'),
  stencil: ofRun(() => stencilRun(2)),
  train: ofRun(trainRun),
  'recorded-job': ofRun(recordedRun),
  compared: ofText(() => comparisonPage(compareRuns([syntheticRecord({ seed: 1 }), slower()]))),
  suite: ofText(() => suitePage(endedSuite, () => false)),
};
