import { ncclTexts } from './nccl.ts';

/** All refusals by code, one file per topic. */
export const texts = { ...ncclTexts };
