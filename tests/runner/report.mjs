// Results of steps: lists of { name, seconds, passed, failed, skipped[, isSecondTry] }, one per program or test file.
import { readFileSync, writeFileSync } from 'node:fs';
import { run } from './process.mjs';

/** Returns a step that runs a command. It passes if the exit code is 0; otherwise the output is printed. */
export const check =
  (...command) =>
  async () => {
    const { code, output, seconds } = await run(command);
    if (code !== 0) console.log(`${command.slice(0, 4).join(' ')} ...\n${output}`);
    const failed = code === 0 ? 0 : 1;
    return [{ name: command.slice(0, 3).join(' '), seconds, passed: 1 - failed, failed, skipped: 0 }];
  };

export const sum = (results, word) => results.reduce((total, one) => total + one[word], 0);

/** Reads the counts that `finish` wrote to a file, as one result. A missing file counts as a failure: its command was killed. */
export function readCounts(file) {
  try {
    return [JSON.parse(readFileSync(file, 'utf8'))];
  } catch (error) {
    console.error(`no counts of an earlier command: ${error.message}`);
    return [{ name: file, seconds: 0, passed: 0, failed: 1, skipped: 0 }];
  }
}

/**
 * Prints the ten slowest results and a last line with the counts, and ends the process.
 * @param {object} options `earlier`: results of an earlier command, added to the counts; `into`: a file that gets the counts
 * instead of the last line, for the command that reads this file
 */
export function finish(results, { failedSteps = [], earlier = [], into } = {}) {
  const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10);
  console.log('\nslowest:');
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
  for (const { name } of results.filter(({ isSecondTry }) => isSecondTry))
    console.log(`passed on its second try: ${name} (its first failure is above)`);
  if (failedSteps.length > 0) console.log(`\nfailed steps: ${failedSteps.join(', ')}`);
  const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((word) =>
    sum([...results, ...earlier], word),
  );
  if (into === undefined)
    console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  else writeFileSync(into, JSON.stringify({ name: 'earlier', seconds: 0, passed, failed, skipped }));
  process.exit(failed === 0 ? 0 : 1);
}
