import { crosscheckTexts } from './crosscheck.ts';
import { engineTexts } from './engines.ts';
import { hostTexts } from './hosts.ts';
import { ncclTexts } from './nccl.ts';
import { optionTexts } from './options.ts';
import { transportTexts } from './transports.ts';

/** All refusals by code, one file per topic. */
export const texts = {
  ...optionTexts,
  ...engineTexts,
  ...transportTexts,
  ...hostTexts,
  ...ncclTexts,
  ...crosscheckTexts,
};
