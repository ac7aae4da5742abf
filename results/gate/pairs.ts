// Defaults for pairs of launches of candidate and reference. This file imports nothing, because every command reads it.

/**
 * Highest expected share of false alarms among the changes that a gate by pairs of launches reports, over all size ranges of a
 * suite and although it looks after each pair.
 */
export const sequenceAlpha = 0.01;
/** Number of pairs of launches of one suite entry after which the gate gives up, if `--pairs` names no other number. */
export const usualPairs = 30;
