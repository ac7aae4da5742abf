// Defaults for pairs of launches of candidate and reference. This file imports nothing, because every command reads it.

/** Highest share of false alarms among the reported changes, over all looks and all size ranges of a suite. */
export const sequenceAlpha = 0.01;
/** Number of pairs of launches of one suite entry after which the gate gives up, if `--pairs` names no other number. */
export const usualPairs = 30;
