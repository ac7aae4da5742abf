// Operations with late ranks: the real command, over TCP.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import {
  type BlockRecord,
  type CellRecord,
  measuredOf,
  type RunPlan,
  type RunRecord,
  sideOf,
} from '../../results/schema/index.ts';
import { ndjson, run, withFolder } from './harness.ts';

const asked = { '20ms:1': 20e6, '30ms:all': 30e6, '20ms:random': 20e6 };

/**
 * Returns by how many ns the ranks started apart in each operation over a transport, also in those that began late. In none may the
 * last rank have started before it was due.
 */
async function skewsIn(dir: string, name: string): Promise<number[]> {
  const { plan } = JSON.parse(await readFile(path.join(dir, 'run.json'), 'utf8')) as RunRecord;
  const blocks = await ndjson<BlockRecord>(path.join(dir, 'samples', 'blocks.ndjson'));
  return blocks
    .filter(({ transport }) => plan.transports[transport]?.name === name)
    .flatMap(({ commonStartNs, startNs }) =>
      commonStartNs.map((due, sample) => {
        const starts = startNs.map((rank) => rank[sample] ?? Number.NaN);
        assert.ok(Math.max(...starts) >= due, `${starts.join()}, due ${due}`);
        return Math.max(...starts) - Math.min(...starts);
      }),
    );
}

test('a late rank is measured: figures from the first and the last arrival, verified data', async () => {
  for (const [setting, askedNs] of Object.entries(asked))
    await withFolder(async (folder) => {
      const [time = '', rank = ''] = setting.split(':');
      const ended = await run(
        [
          ...['allreduce', '--sizes', '1K', '--skew', `0,${time}`, '--skew-rank', rank, '--ranks', '3'],
          ...['--launches', '1', '--iters', '40', '--out', 'run'],
        ],
        { cwd: folder, env: { COLUMNS: '80' } },
      );
      assert.equal(ended.code, 0, ended.stderr);
      const text = await readFile(path.join(folder, 'run', 'cells.ndjson'), 'utf8');
      const [quiet, late] = text
        .trim()
        .split('\n')
        .map((line): CellRecord => JSON.parse(line))
        .sort((a, b) => a.transport.length - b.transport.length);
      assert.ok(quiet?.status === 'ok' && late?.status === 'ok');
      assert.deepEqual([quiet.transport, late.transport], ['socket', `socket@${setting}`]);
      assert.equal(sideOf(quiet, 'skew'), null);
      const [skewNs, fromFirstNs] = [sideOf(late, 'skew')?.value ?? 0, sideOf(late, 'fromFirst')?.value ?? 0];
      const skews = await skewsIn(path.join(folder, 'run'), late.transport);
      const [least, most] = [Math.min(...skews), Math.max(...skews)];
      // On a busy machine the other ranks may be late, too, but not in every operation.
      assert.ok(most > askedNs / 2, `${most}`);
      assert.ok(skewNs >= least && skewNs <= most, `${skewNs}`);
      assert.ok(fromFirstNs > skewNs, `${fromFirstNs}`);
      assert.ok((measuredOf(late, 'latency')?.value ?? 0) > 0);
      assert.equal(measuredOf(late, 'pipelined'), null, 'operations back to back have no common start');
      for (const { verification } of [quiet, late]) {
        assert.ok(verification.checks > 0);
        assert.equal(verification.wrongElements, 0);
      }
      assert.match(ended.stdout, / first +skew /);
      const report = await readFile(path.join(folder, 'run', 'report.html'), 'utf8');
      assert.match(report, /from first/);
      const csv = await run(['export', 'run', '--csv'], { cwd: folder });
      assert.match(csv.stdout, /,from_first_ns,skew_ns,/);
    });
});

test('a delay of 0 is the plan without delays; one that cannot be is refused before anything starts', async () => {
  await withFolder(async (folder) => {
    const planOf = async (...words: string[]): Promise<Partial<RunPlan>> => {
      const ended = await run(['allreduce', '--seed', '1', '--plan-only', '--json', ...words], {
        cwd: folder,
      });
      assert.equal(ended.code, 0, ended.stderr);
      const { command, estimateS, ...plan } = JSON.parse(ended.stdout) as RunPlan;
      return plan;
    };
    assert.deepEqual(await planOf('--skew', '0'), await planOf());
    const refused = await run(['allreduce', '--skew', '1ms', '--skew-rank', '2'], { cwd: folder });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /--skew-rank 2: there is no such rank among 2/);
  });
});
