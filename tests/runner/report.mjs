// Results of steps: lists of { name, seconds, passed, failed, skipped[, isSecondTry] }, one per program or test file.
import { readFileSync, writeFileSync } from 'node:fs';
import { run } from './process.mjs';

/** A step that is one check: passed when the command ends with 0; what it says is shown otherwise. */
export const check =
  (...command) =>
  async () => {
    const { code, output, seconds } = await run(command);
    if (code !== 0) console.log(`${command.slice(0, 4).join(' ')} ...\n${output}`);
    const failed = code === 0 ? 0 : 1;
    return [{ name: command.slice(0, 3).join(' '), seconds, passed: 1 - failed, failed, skipped: 0 }];
  };

export const sum = (results, word) => results.reduce((total, one) => total + one[word], 0);

/** Counts that `finish` left in a file, as one more result. A command that was killed left none, and that is a failure. */
export function readCounts(file) {
  try {
    return [JSON.parse(readFileSync(file, 'utf8'))];
  } catch (error) {
    console.error(`no counts of an earlier command: ${error.message}`);
    return [{ name: file, seconds: 0, passed: 0, failed: 1, skipped: 0 }];
  }
}

/**
 * Prints the ten slowest and the last line, and ends the process.
 * @param {object} options `earlier`: results of a command before, which count; `into`: the file that gets the counts, and
 * whoever reads it prints the last line
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
