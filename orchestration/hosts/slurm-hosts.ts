import { visibleText } from './characters.ts';
import { HostsError, withPosition } from './error.ts';
import { maxRunHosts } from './expand.ts';
import type { HostSpec } from './host.ts';
import { mergeHosts } from './merge.ts';
import { readHosts } from './parse.ts';

/**
 * Parses a list of tasks per node in Slurm's notation, and returns one number per node: `8(x3),4` gives 8, 8, 8, 4.
 * @throws HostsError if the text has another form, is empty, or has more than maxRunHosts nodes
 */
export function parseTasksPerNode(text: string): number[] {
  const counts: number[] = [];
  for (const item of text.split(',')) {
    const [, tasks, times = '1'] = /^(\d{1,6})(?:\(x(\d{1,6})\))?$/.exec(item) ?? [];
    if (tasks === undefined) {
      throw new HostsError(
        `${visibleText(item)} is no number of tasks, such as 8 or 8(x3)`,
        text.indexOf(item),
      );
    }
    if (counts.length + Number(times) > maxRunHosts) {
      throw new HostsError(`${visibleText(text)} has more than ${maxRunHosts} nodes`, text.indexOf(item));
    }
    for (let i = 0; i < Number(times); i++) counts.push(Number(tasks));
  }
  return counts;
}

/**
 * Returns the hosts of a Slurm allocation, in the order of the list.
 * @param nodelist SLURM_JOB_NODELIST: `gpu[01-03,07],login1`
 * @param tasksPerNode SLURM_TASKS_PER_NODE, from which the slots are taken; null = not set, so slots are null
 * @throws HostsError names the variable that is wrong, also if the two variables have different numbers of nodes
 */
export function parseSlurm(nodelist: string, tasksPerNode: string | null): HostSpec[] {
  const hosts = withPosition('SLURM_JOB_NODELIST', nodelist, () => mergeHosts(readHosts(nodelist)));
  if (tasksPerNode === null) return hosts;
  const tasks = withPosition('SLURM_TASKS_PER_NODE', tasksPerNode, () => parseTasksPerNode(tasksPerNode));
  if (tasks.length !== hosts.length) {
    throw new HostsError(
      `SLURM_TASKS_PER_NODE=${visibleText(tasksPerNode)} has ${tasks.length} nodes, ` +
        `SLURM_JOB_NODELIST=${visibleText(nodelist)} of ${hosts.length}`,
    );
  }
  return hosts.map((host, i) => ({ ...host, slots: tasks[i] ?? null }));
}
