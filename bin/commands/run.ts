import type { CollectiveName, Inventory, RunPlan } from '../../results/schema/index.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import type { Options } from '../options.ts';
import { prepare } from '../prepare.ts';
import { readOptions } from '../read-options.ts';

/** One of the collectives: plan it, measure it, report it. */
export async function run(collective: CollectiveName, words: readonly string[]): Promise<ExitCode> {
  const options = readOptions(collective, words);
  const { plan, inventory } = await prepare(collective, options, words);
  if (options.planOnly) {
    process.stdout.write(`${JSON.stringify(plan, null, 2)}\n`);
    return exitCode.ok;
  }
  return carryOut(plan, inventory, options);
}

async function carryOut(plan: RunPlan, inventory: Inventory, options: Options): Promise<ExitCode> {
  const [{ createRun }, { Measuring }, { newRecord }] = await Promise.all([
    import('../../results/store/index.ts'),
    import('../measuring.ts'),
    import('../new-record.ts'),
  ]);
  const record = newRecord(plan, inventory);
  const writer = await createRun({ record, ...(options.out === null ? {} : { out: options.out }) });
  return new Measuring(plan, options, record, writer).carryOut();
}
