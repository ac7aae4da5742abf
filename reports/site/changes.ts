// Changes and problems that a site shows. The first page, the feeds and the comment use the same texts.
import type { NightRun } from '../../results/history/nights.ts';
import { isNotable, shownSize, type UnconfirmedStep } from '../../results/history/state.ts';
import {
  causeText,
  changeSentence,
  pastStepText,
  runText,
  sizesText,
  suspectsText,
  unconfirmedStepText,
} from '../history/texts.ts';
import { capitalise } from '../wording.ts';
import type { SiteIndex, SiteIndexRow } from './site-index.ts';
import { troubleText, verdictMarks } from './texts.ts';

/** A change of time of one series and size range, or the problems of a night's runs. */
export interface SiteChange {
  /**
   * `slower`, `faster`: the statistics over the nights, or a second measurement of the gate, prove the change. `unconfirmed`:
   * neither proves it. `failed`: wrong data, data over another transport than requested, or runs that failed, were interrupted,
   * lack configurations or have no recorded end.
   */
  verdict: 'slower' | 'faster' | 'unconfirmed' | 'failed';
  /** The row of the site's grid with the changed series; null for problems of a night's runs. */
  row: SiteIndexRow | null;
  /** Sentence without full stop: "20x slower since 2026-11-21, not confirmed: ..." */
  text: string;
  /** Sentence about the recorded settings that changed, or about the runs with problems; "" if there is none. */
  cause: string;
  /** Night in which a confirmed change was detected; first night of an unconfirmed one; night of the runs with problems. */
  night: string;
  /**
   * Texts that identify the change. They stay the same while later nights are added to the history, and when the change is over.
   */
  key: string[];
  /** Runs whose reports show the change, with the text of their link. */
  reports: { run: Pick<NightRun, 'folder'>; text: string }[];
}

export const changeMarks: Record<SiteChange['verdict'], string> = { ...verdictMarks, failed: '✕' };

/** Maximum number of reports to which one change in the site's list of changes links. */
const maxReports = 6;

/**
 * Returns what changed in the nights that the grid shows: confirmed changes, then changes that are not confirmed, then problems of
 * the nights' runs.
 */
export const siteChanges = (board: SiteIndex): SiteChange[] => [
  ...confirmedChanges(board),
  ...suspectChanges(board),
  ...troubledNights(board),
];

/**
 * Returns the confirmed changes of time whose first night is one that the grid shows, in descending order of this first night, those
 * of one night in the order of the grid's rows.
 */
const confirmedChanges = ({ rows, nights }: SiteIndex): SiteChange[] =>
  rows
    .flatMap((row) => row.report.explained.map((explained) => ({ row, explained })))
    .filter(({ explained: { change } }) => change.night >= (nights[0] ?? ''))
    .sort((a, b) => b.explained.change.night.localeCompare(a.explained.change.night))
    .map(({ row, explained }): SiteChange => {
      const { change, before, after } = explained;
      const { trend } = row.report;
      const runs = [
        { run: before.runs.at(-1), text: 'report before' },
        { run: after.runs[0], text: 'report after' },
      ];
      return {
        ...{ row, verdict: change.shift > 0 ? 'slower' : 'faster', night: change.foundNight },
        ...{ text: changeSentence(trend, explained), cause: `${capitalise(causeText(explained))}.` },
        key: [trend.title, trend.group, change.night],
        reports: runs.flatMap(({ run, text }) => (run === undefined ? [] : [{ run, text }])),
      };
    });

/**
 * Returns changes of time that the statistics over the nights do not prove: those of the newest nights, then those of single
 * message sizes, then those that are over. Each of the three kinds is sorted by amount, the largest first. A change that a second
 * measurement of the gate showed too has the verdict `slower` or `faster`.
 */
function suspectChanges({ rows }: SiteIndex): SiteChange[] {
  type Suspect = { row: SiteIndexRow; step: Omit<UnconfirmedStep, 'at'>; text: string; cause?: string };
  const bySize = (a: Suspect, b: Suspect): number =>
    Math.abs(Math.log(b.step.ratio)) - Math.abs(Math.log(a.step.ratio));
  const newest = rows.flatMap((row): Suspect[] => {
    const { unconfirmed: step } = row.state;
    const isShown = step !== null && isNotable(step);
    const cause = suspectsText(row.report.suspects);
    const text = step === null ? '' : unconfirmedStepText(row.report.trend, step);
    return isShown ? [{ row, step, text, cause: cause === '' ? '' : `It came ${cause}.` }] : [];
  });
  const sizes = rows.flatMap((row): Suspect[] => {
    const { trend } = row.report;
    if (row.state.sizes.length === 0) return [];
    const { ratio, isSeenAgain } = shownSize(row.state.sizes);
    const step = { night: trend.nights.at(-1)?.night ?? '', ratio, isSeenAgain };
    return [{ row, step, text: sizesText(trend, row.state.sizes) }];
  });
  const past = rows.flatMap((row) =>
    row.state.past.map((step): Suspect => ({ row, step, text: pastStepText(row.report.trend, step) })),
  );
  return [...newest.sort(bySize), ...sizes.sort(bySize), ...past.sort(bySize)].map(
    ({ row, step, text, cause = '' }): SiteChange => {
      const { title, group } = row.report.trend;
      const direction = step.ratio > 1 ? 'slower' : 'faster';
      return {
        ...{ row, text, night: step.night, verdict: step.isSeenAgain ? direction : 'unconfirmed' },
        ...{ cause, key: [title, group, step.night, 'not confirmed'], reports: [] },
      };
    },
  );
}

/** Returns the nights with wrong data, data over another transport than requested, or runs that are not complete, newest first. */
const troubledNights = ({ nightRuns }: SiteIndex): SiteChange[] =>
  [...nightRuns].reverse().flatMap(([night, runs]): SiteChange[] => {
    const trouble = troubleText(runs);
    if (trouble === '') return [];
    return [
      {
        ...{ verdict: 'failed', row: null, night, text: `${night}: ${trouble}` },
        cause: `Runs: ${runs.troubled.map(runText).join(', ')}.`,
        key: ['runs', night],
        reports: runs.troubled
          .slice(0, maxReports)
          .map((run) => ({ run, text: `report of ${runText(run)}` })),
      },
    ];
  });
