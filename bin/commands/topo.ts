import { version } from '../../orchestration/build.ts';
import { hasNodes, requireHostOptions } from '../../orchestration/preparing/host-rules.ts';
import { Refusal, refuse } from '../../results/refusals/refusal.ts';
import type { TopologyView } from '../../results/topology/index.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { type OptionValues, switchOption } from '../../suites/options/option.ts';
import type { ParsedLine } from '../line/read.ts';
import { hostKeys, type ParsedWords, withDefaults } from '../options/index.ts';
import { printJson, printNote, printText, shapeOfStdout } from '../terminal.ts';
import { writeNamed } from '../write-file.ts';
import { defineCommand } from './command.ts';
import { files } from './completions.ts';
import { sharedOptions } from './options.ts';

const options = {
  ...sharedOptions(['nccl', ...hostKeys]),
  dump: {
    describe: 'Make NCCL write its topology and graphs to this folder first; starts it on all GPUs here',
    value: 'DIR',
    coerce: String,
  },
  svg: { describe: 'Also write the drawing to this file', value: 'FILE', coerce: String },
  json: { ...switchOption, describe: 'One JSON object with the ceiling of each path' },
};

async function run(
  { file: files, dump, svg, json }: OptionValues<typeof options> & { file: string[] },
  { said, values }: ParsedLine,
): Promise<void> {
  const requested = withDefaults(values);
  requireTogether(said, dump);
  requireHostOptions(requested, said);
  const { readHostTopologies } = await import('../../orchestration/host-checks/machines.ts');
  const { topologyJson, viewOf } = await import('../../results/topology/index.ts');
  const dumped = dump === undefined ? [] : await dumpedInto(dump, requested.nccl);
  const asks = files.length === 0 || hasNodes(requested) || dump !== undefined;
  const asked = asks ? await readHostTopologies(requested) : { topologies: [], unreached: [] };
  const view = await viewOf([...dumped, ...files], asked.topologies).catch(refuseSuites);
  for (const problem of asked.unreached) printNote(problem);
  if (json) {
    printJson(topologyJson(view, version()));
  } else {
    const { topologyText } = await import('../../reports/topology/terminal.ts');
    const width = Math.max(60, Math.min(shapeOfStdout(80).columns, 160));
    printText(topologyText(view, width));
  }
  if (svg !== undefined) await writePictures(view, svg);
  process.exitCode = asked.unreached.length > 0 ? exitCode.notRun : exitCode.ok;
}

/**
 * Throws an error for a folder that is not a run: if it belongs to a suite, an explanation or a bisection, the error that other
 * commands give for it, otherwise `error`.
 */
async function refuseSuites(error: unknown): Promise<never> {
  if (error instanceof Refusal && error.code === 'folder-of-no-run') {
    const { findRun } = await import('../../results/store/read.ts');
    const { isOfFinding, isOfSuite } = await import('../../results/store/errors.ts');
    const [{ folder }] = (error as Refusal<'folder-of-no-run'>).values;
    const why: unknown = await findRun(folder).catch((one) => one);
    if (isOfSuite(why) || isOfFinding(why)) throw why;
  }
  throw error;
}

/**
 * Checks that the options can be combined: --dump not with hosts, --nccl only with --dump.
 * @param dump value of --dump; undefined if the user did not give it
 * @throws Refusal if options contradict each other
 */
function requireTogether(parsed: ParsedWords, dump: string | undefined): void {
  const [named, nccl] = [parsed.get('hosts') ?? parsed.get('hostfile'), parsed.get('nccl')];
  if (dump !== undefined && named !== undefined) {
    throw refuse('dump-of-hosts', { where: named.where });
  }
  if (nccl !== undefined && dump === undefined) {
    throw refuse('option-needs-option', { option: 'nccl', needs: 'dump', example: 'topo --dump FOLDER' });
  }
}

async function dumpedInto(folder: string, nccl: string | null): Promise<string[]> {
  const { dumpByNccl } = await import('../../orchestration/host-checks/nccl-dump.ts');
  return dumpByNccl(folder, nccl);
}

/**
 * Writes all drawings of how machines are connected into one SVG file, one below the other.
 * @throws Refusal if there is nothing to draw, or the file cannot be written
 */
async function writePictures(view: TopologyView, file: string): Promise<void> {
  const { combinePictures } = await import('../../reports/topology/pictures.ts');
  const svg = combinePictures(view);
  if (svg === null) throw refuse('nothing-to-draw', { file });
  await writeNamed('--svg', file, `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`);
}

export const topo = defineCommand({
  command: 'topo [file..]',
  describe:
    'Show how machines are connected: PCIe, NUMA, NVLink, adapters, and the highest rate of each path.',
  argument: {
    help: "NCCL's topology, graphs or logs, output of nvidia-smi topo -m or collbench doctor --json, folder of a run; any number of each",
  },
  examples: [
    ['collbench topo', 'this machine, as reported by its kernel and NVML'],
    ['collbench topo --hosts gpu[01-08] --svg machines.svg', 'eight machines, also as a drawing'],
    ['collbench topo --dump nccl', "with NCCL's own view of its GPUs, its rings and trees"],
    ['collbench topo system.xml graphs.xml rank*.log', 'files that NCCL wrote elsewhere'],
  ],
  options,
  epilogue:
    'Rates are per direction; unknown ones are marked. Exit codes: 0; 1 a file that is not understood; 2 a host that did not answer.',
  offer: files,
  handler: run,
});
