import { baselineTexts } from './baselines.ts';
import { bisectTexts } from './bisect.ts';
import { commandTexts } from './commands.ts';
import { crosscheckTexts } from './crosscheck.ts';
import { engineTexts } from './engines.ts';
import { hostTexts } from './hosts.ts';
import { importTexts } from './imports.ts';
import { lineTexts } from './lines.ts';
import { linkTexts } from './links.ts';
import { ncclTexts } from './nccl.ts';
import { optionTexts } from './options.ts';
import { pairsTexts } from './pairs.ts';
import { recordingTexts } from './recording.ts';
import { resumingTexts } from './resuming.ts';
import { siteTexts } from './sites.ts';
import { suiteTexts } from './suites.ts';
import { topologyTexts } from './topologies.ts';
import { transportTexts } from './transports.ts';
import { wordTexts } from './words.ts';

/** Functions that make the messages of all refused commands, by refusal code; each imported file has the codes of one topic. */
export const texts = {
  ...wordTexts,
  ...lineTexts,
  ...commandTexts,
  ...optionTexts,
  ...engineTexts,
  ...transportTexts,
  ...hostTexts,
  ...ncclTexts,
  ...crosscheckTexts,
  ...baselineTexts,
  ...bisectTexts,
  ...topologyTexts,
  ...linkTexts,
  ...siteTexts,
  ...suiteTexts,
  ...pairsTexts,
  ...recordingTexts,
  ...resumingTexts,
  ...importTexts,
};
