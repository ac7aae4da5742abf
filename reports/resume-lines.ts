import type { RunRecord } from '../results/schema/index.ts';
import { formatDuration, plural } from './wording.ts';

/**
 * Returns when a run was resumed after interruptions: "resumed 2026-11-21 09:05 UTC with 12 of 40 configurations there". The first
 * number counts the configurations that were measured before. Changes of the environment that the user accepted are counted too. ""
 * for a run that was not resumed.
 */
export function resumedSentence({ resumed = [], plan }: Pick<RunRecord, 'resumed' | 'plan'>): string {
  if (resumed.length === 0) return '';
  const times = resumed.map(({ at, cellsBefore, differences }) => {
    const time = at.replace('T', ' ').slice(0, 16);
    const other = differences.length === 0 ? '' : `, ${plural(differences.length, 'difference')} accepted`;
    return `${time} UTC with ${cellsBefore} of ${plural(plan.expected.cells, 'configuration')} there${other}`;
  });
  return `resumed ${times.join(', then ')}`;
}

/**
 * Returns how long a run waited in all because other processes used the hosts: "waited 2 min for quiet machines". It adds "they did
 * not become quiet" if at least one wait ended without quiet hosts; "" if the run did not wait.
 */
export function waitedSentence({ waits = [] }: Pick<RunRecord, 'waits'>): string {
  if (waits.length === 0) return '';
  const seconds = waits.reduce((sum, wait) => sum + wait.seconds, 0);
  const vain = waits.every(({ isQuiet }) => isQuiet) ? '' : ', they did not become quiet';
  return `waited ${formatDuration(seconds)} for quiet machines${vain}`;
}

/** Returns how long the run waited for quiet hosts, and when it was resumed; "" for a run that did neither. */
export const courseSentence = (record: Pick<RunRecord, 'resumed' | 'waits' | 'plan'>): string =>
  [waitedSentence(record), resumedSentence(record)].filter((text) => text !== '').join('; ');

/**
 * Returns the seconds during which the run was active, without the pauses before it was resumed. If the end of one of its attempts
 * is unknown, that attempt counts as 0.
 */
export function secondsTaken({
  startedAt,
  endedAt,
  resumed = [],
}: Pick<RunRecord, 'startedAt' | 'endedAt' | 'resumed'>): number {
  const starts = [startedAt, ...resumed.map(({ at }) => at)];
  const ends = [...resumed.map(({ before }) => before.endedAt), endedAt];
  const spans = starts.map((start, i) => {
    const end = ends[i];
    return end ? Date.parse(end) - Date.parse(start) : 0;
  });
  return spans.reduce((sum, span) => sum + span, 0) / 1000;
}

/**
 * Returns the lines that are printed before an interrupted run continues: how much is left to measure, and the accepted changes of
 * the environment since the interruption.
 * @param cells number of configurations measured so far
 * @param estimateS estimated remaining time in seconds
 */
export function resumeLines(record: RunRecord, cells: number, estimateS: number): string[] {
  const { id, plan, resumed = [] } = record;
  const left = plan.expected.cells - cells;
  const rest = left === 0 ? 'only its end is written' : `${left} left, about ${formatDuration(estimateS)}`;
  return [
    `resuming run ${id}: ${cells} of ${plural(plan.expected.cells, 'configuration')} already measured, ${rest}`,
    ...(resumed.at(-1)?.differences ?? []).map((text) => `changed since then: ${text}`),
  ];
}
