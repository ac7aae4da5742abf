import type { FittedLink } from '../../results/models/link/fitted-link.ts';
import { Refusal, refuse } from '../../results/refusals/refusal.ts';
import { detailText } from '../../results/schema/index.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { errorText } from '../report-error.ts';
import { printMessage, printNote, printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { runIds } from './completions.ts';
import { jsonOption, rootOption } from './options.ts';

const options = {
  unpaced: {
    describe:
      'The same operations over the emulation with --link none; its own time is subtracted. Several runs: with commas',
    defaultDescription: 'nothing is subtracted',
    value: 'RUN',
    coerce: (text: string) => text.split(','),
  },
  ...rootOption,
  ...jsonOption,
};

async function run(values: OptionValues<typeof options> & { action: string[] }): Promise<void> {
  const {
    action: [action = '', ...names],
    unpaced: ownNames = [],
    root,
    json,
  } = values;
  if (action !== 'fit')
    throw refuse('unknown-word', { where: 'link', word: action, problem: 'no such action', known: ['fit'] });
  if (names.length === 0) throw refuse('link-takes');
  const { openRun } = await import('../../results/store/read.ts');
  const { requireFittedLink } = await import('../../results/models/link/fitted-link.ts');
  const { measuredLinks } = await import('../../results/models/link/measurements.ts');
  const { linkObject, linkReport } = await import('../../reports/terminal/link.ts');
  const open = async (name: string) => {
    const one = await openRun(name, root);
    for (const warning of one.warnings) printNote(warning);
    return one;
  };
  const runs = await Promise.all(names.map(open));
  const own = await Promise.all(ownNames.map(open));
  own.forEach(({ cells }, i) => {
    const name = ownNames[i] ?? '';
    if (cells.some(({ medium }) => medium !== 'emulated'))
      throw refuse('link-unpaced', { run: name, why: 'it did not measure an emulation' });
    const paced = cells.find(({ detail: { link = 'none' } }) => link !== 'none');
    if (paced !== undefined)
      throw refuse('link-unpaced', { run: name, why: `it was paced: ${detailText(paced.detail)}` });
  });
  const links = measuredLinks(
    runs.flatMap(({ cells }) => cells),
    own.length === 0 ? null : own.flatMap(({ cells }) => cells),
  );
  const usable = links.filter(
    ({ from, withoutOwn, tooFast }) => from.length + withoutOwn.length + tooFast.length > 0,
  );
  if (usable.length === 0)
    throw refuse('link-fit-nothing', {
      runs: names,
      ignored: links.flatMap(({ ignored }) => ignored.map(({ series }) => series)),
    });
  const ids = own.map(({ record }) => record.id);
  const width = shapeOfStdout(80).columns;
  const fitted: FittedLink[] = [];
  const refused: Refusal[] = [];
  for (const one of usable) {
    try {
      fitted.push(requireFittedLink(one));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push(error);
    }
  }
  if (fitted.length === 0) throw refused[0];
  for (const one of refused) printMessage(`collbench: ${errorText(one)}`);
  const shown = fitted.map((one) =>
    json ? `${JSON.stringify(linkObject(one, ids))}\n` : linkReport(one, ids, width),
  );
  printText(shown.join(json ? '' : '\n'));
}

export const link = defineCommand({
  command: 'link <action..>',
  describe: 'Fit a link model for the emulations to measured runs: fit.',
  examples: [
    ['collbench link fit 7f3a2c', 'prints the --link custom:... of a pingpong'],
    ['collbench link fit 7f3a2c 1b2c3d', 'a pingpong and a put --window 64: the message rate, too'],
    ['collbench link fit 7f3a2c --unpaced 9e8f7a', 'without the time of the emulation itself'],
  ],
  argument: { help: 'fit RUN: id or folder of a run; several of one transport are fitted together' },
  options,
  epilogue:
    'With --unpaced the emulation gives the measured times on this machine. Exit code 2: the run cannot tell, with the reason.',
  async offer([action], before) {
    return action === undefined ? [{ word: 'fit' }] : runIds([], before);
  },
  handler: run,
});
