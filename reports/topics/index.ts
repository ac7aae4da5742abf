import { algorithms } from '../html/algorithms.ts';
import { distribution } from '../html/distribution.ts';
import { loadOverlap } from '../html/load-overlap.ts';
import { models } from '../model-document.ts';
import { againstReference } from './against-reference.ts';
import { boundShare } from './bound-share.ts';
import { sideBySide } from './side-by-side.ts';
import type { ReportTopic } from './topic.ts';
import { trafficMatrixTopic } from './traffic-matrix.ts';

/** Topics of a run's report, in their order. To add one, write a file that exports a `ReportTopic` and add it here. */
export const reportTopics: readonly ReportTopic[] = [
  algorithms,
  boundShare,
  models,
  sideBySide,
  trafficMatrixTopic,
  againstReference,
  distribution,
  loadOverlap,
];
