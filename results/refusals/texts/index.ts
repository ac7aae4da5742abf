import { baselineTexts } from './baselines.ts';
import { crosscheckTexts } from './crosscheck.ts';
import { engineTexts } from './engines.ts';
import { hostTexts } from './hosts.ts';
import { importTexts } from './imports.ts';
import { ncclTexts } from './nccl.ts';
import { optionTexts } from './options.ts';
import { pairsTexts } from './pairs.ts';
import { resumingTexts } from './resuming.ts';
import { suiteTexts } from './suites.ts';
import { topologyTexts } from './topologies.ts';
import { transportTexts } from './transports.ts';
import { wordTexts } from './words.ts';

/** All refusals by code, one file per topic. */
export const texts = {
  ...wordTexts,
  ...optionTexts,
  ...engineTexts,
  ...transportTexts,
  ...hostTexts,
  ...ncclTexts,
  ...crosscheckTexts,
  ...baselineTexts,
  ...topologyTexts,
  ...suiteTexts,
  ...pairsTexts,
  ...resumingTexts,
  ...importTexts,
};
