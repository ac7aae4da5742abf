// Checks whether the buffers of a plan fit into memory, and chooses a smaller default maximum size if they do not.
import type { Refusal } from '../../results/refusals/refusal.ts';
import { refusalWording } from '../../results/refusals/words.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import { sizeFlag } from '../../results/units.ts';
import { size } from '../options/values.ts';
import { sizeOf } from '../sets.ts';
import type { BudgetPlan, UnsetOptions } from './budget-plan.ts';

/** Result of a memory check that failed: the buffers of a plan need more memory than a host or GPU has. */
export interface MemoryShortage {
  refusal: Refusal;
  /** Highest --max with which the buffers fit, as text; null if no lower value helps, or the command line lists its sizes. */
  max: string | null;
}

/**
 * Makes a plan whose buffers fit into memory. If the user did not set --max (`free` contains it), the highest --max that fits is
 * used.
 * @param planWith makes the plan with this --max, in bytes
 * @param shortageOf checks a plan against the memory of hosts or GPUs; null = its buffers fit
 * @returns `notes` are the lines to print before the run
 * @throws Refusal if the buffers do not fit, and the user set --max or no size is small enough
 */
export function withinMemory(
  { max, free }: UnsetOptions & { max: number },
  planWith: (max: number) => BudgetPlan,
  shortageOf: (plan: RunPlan) => MemoryShortage | null,
): { plan: RunPlan; notes: string[] } {
  const notes: string[] = [];
  let { plan, note } = planWith(max);
  const shortage = shortageOf(plan);
  if (shortage !== null) {
    if (shortage.max === null || free?.includes('max') !== true) throw shortage.refusal;
    const largest = sizeFlag(Math.max(...plan.points.map(sizeOf)));
    notes.push(
      `chose --max ${shortage.max} to fit into memory; with --max ${largest}, ${refusalWording(shortage.refusal).message}`,
    );
    ({ plan, note } = planWith(size(shortage.max)));
    const still = shortageOf(plan);
    if (still !== null) throw still.refusal;
  }
  return { plan, notes: note === null ? notes : [...notes, note] };
}
