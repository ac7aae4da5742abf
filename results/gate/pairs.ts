// Defaults for pairs of launches of candidate and reference, in a file without imports because every command reads them.

/** Highest share of false alarms, over all looks and all size ranges of a suite. */
export const sequenceAlpha = 0.01;
/** Pairs of launches of one entry after which the gate gives up, if `--pairs` names no other number. */
export const usualPairs = 30;
