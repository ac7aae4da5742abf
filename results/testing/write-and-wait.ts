/** Test program that writes a run with two cells below argv[2], prints its folder and waits to be killed. */
import { deriveCell } from '../derive/cells/cell.ts';
import { createRun } from '../store/write.ts';
import { testBlock } from './block.ts';
import { testPlan, testRecord } from './plan.ts';

const plan = testPlan();
const run = await createRun({ root: process.argv[2] ?? '.', record: testRecord() });
for (const transport of [0, 1]) {
  const block = testBlock(new Array(20).fill(1000), { transport, block: transport });
  await run.appendBlock(block);
  await run.appendCell(deriveCell(plan, 0, transport, [block]));
}
process.stdout.write(`${run.dir}\n`);
setInterval(() => undefined, 1 << 30);
