// npm run bench:truth [-- --quick]: how often intervals hold the truth, and verdicts err, on seeded noise and on recorded
// samples. Writes docs/truth.md and results/reference/truth.json, which name what is too narrow or too wide for certain; --quick
// counts a tenth and writes nothing.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Regime } from '../../results/derive/cell-group.ts';
import { root } from '../e2e/harness.ts';
import { betweenLaunches, withinLaunch, withSiblings } from './truth/coverage.ts';
import { type Night, nights } from './truth/gate.ts';
import { onRecorded } from './truth/recorded.ts';
import { type GateRow, type Truth, truthDocument } from './truth/report.ts';

const { quick } = parseArgs({ options: { quick: { type: 'boolean', default: false } } }).values;
const count = (n: number): number => (quick ? Math.ceil(n / 10) : n);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const each = (r: number): Record<Regime, number> => ({ small: r, mid: r, large: r });
/** What the nightly suite does: more launches where they scatter most. */
const nightly: Record<Regime, number> = { small: 8, mid: 5, large: 5 };

function row(what: string, night: Night, many: number, seed: number): GateRow {
  say(what);
  return { what, outcome: nights(night, count(many), seed) };
}

const alarmRows = (): GateRow[] => [
  row('8, 5, 5 launches, scatter learned', { launches: nightly, learned: 1 }, 3000, 31),
  row('3 launches, scatter learned', { launches: each(3), learned: 1 }, 400, 32),
  row('8, 5, 5 launches, nothing learned', { launches: nightly, learned: null }, 400, 33),
  row('3 launches, nothing learned', { launches: each(3), learned: null }, 400, 34),
  row('8, 5, 5 launches, learned half of the variance', { launches: nightly, learned: 0.5 }, 400, 35),
  row('8, 5, 5 launches, learned a quarter of it', { launches: nightly, learned: 0.25 }, 400, 36),
];

function powerRows(): GateRow[] {
  const rows: GateRow[] = [];
  for (const percent of [3, 5]) {
    for (const regime of ['small', 'mid', 'large'] as const) {
      const effect = { regime, log: Math.log1p(percent / 100) };
      for (const r of [3, 5, 8]) {
        const what = `+${percent} % of a ${regime} group, ${r} launches, learned`;
        rows.push(
          row(what, { launches: each(r), learned: 1, effect }, r === nightly[regime] ? 400 : 120, 40 + r),
        );
      }
      const what = `+${percent} % of a ${regime} group, ${nightly[regime]} launches, nothing learned`;
      rows.push(row(what, { launches: nightly, learned: null, effect }, 120, 50));
    }
  }
  return rows;
}

say('intervals of one launch');
const within = withinLaunch(count(2000));
say('intervals between launches');
const between = betweenLaunches(count(2000));
const siblings = withSiblings(count(1500));
say('recorded samples');
const recorded = await onRecorded(count(40));
const truth: Truth = {
  command: 'npm run bench:truth',
  node: process.versions.node,
  within,
  between,
  siblings,
  recorded,
  alarms: alarmRows(),
  power: powerRows(),
};
const text = truthDocument(truth);
process.stdout.write(text);
if (!quick) {
  writeFileSync(path.join(root, 'docs', 'truth.md'), text);
  writeFileSync(path.join(root, 'results', 'reference', 'truth.json'), `${JSON.stringify(truth, null, 1)}\n`);
}
