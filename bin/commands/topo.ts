import { version } from '../../orchestration/build.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { harmless } from '../../results/text.ts';
import type { TopologyView } from '../../results/topology/index.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { CommandError } from '../exit.ts';
import { withOptions } from '../measuring-options.ts';
import { withSeveralWords } from '../parser.ts';
import { saidIn } from '../said-words.ts';
import { topoKeys, topoOptions } from '../topo/options.ts';
import { writeNamed } from '../write-file.ts';
import { type Command, jsonOption, withExamples } from './command.ts';

async function run(words: readonly string[], found: Record<string, unknown>): Promise<ExitCode> {
  const { options, files, dump, svg, json } = topoOptions(words, found);
  const [{ askMachines }, { topologyJson, viewOf }, { hasNodes }] = await Promise.all([
    import('../topo/ask.ts'),
    import('../../results/topology/index.ts'),
    import('../../orchestration/preparing/host-rules.ts'),
  ]);
  const dumped =
    dump === null
      ? []
      : await (await import('../../orchestration/nccl-dump.ts')).dumpByNccl(dump, options.nccl);
  const asks = files.length === 0 || hasNodes(options) || dump !== null;
  const asked = asks ? await askMachines(options) : { topologies: [], unreached: [] };
  const view = await viewOf([...dumped, ...files], asked.topologies);
  for (const problem of asked.unreached) process.stderr.write(`collbench: ${harmless(problem)}\n`);
  if (json) {
    process.stdout.write(`${JSON.stringify(topologyJson(view, version()))}\n`);
  } else {
    const { topologyText } = await import('../../reports/topology/terminal.ts');
    const width = Math.max(60, Math.min(process.stdout.columns || 80, 160));
    process.stdout.write(harmless(topologyText(view, width)));
  }
  if (svg !== null) await writePictures(view, svg);
  return asked.unreached.length > 0 ? exitCode.notRun : exitCode.ok;
}

/** All pictures in one file, below each other. @throws Refusal there is nothing to draw, or the file cannot be written */
async function writePictures(view: TopologyView, file: string): Promise<void> {
  const { allPictures } = await import('../../reports/topology/pictures.ts');
  const svg = allPictures(view);
  if (svg === null) throw refuse('nothing-to-draw', { file });
  await writeNamed('--svg', file, `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`);
}

/** How machines are connected, in one picture. @param words behind `topo` */
export function topo(words: readonly string[]): Command {
  const command: Command = {
    name: 'topo',
    command: 'topo [file..]',
    describe:
      'Show how machines are connected: PCIe, NUMA, NVLink, adapters, and the most each path carries.',
    examples: [
      ['collbench topo', 'this machine, as its kernel and NVML show it'],
      ['collbench topo --hosts gpu[01-08] --svg machines.svg', 'eight machines, also as a drawing'],
      ['collbench topo --dump nccl', "with NCCL's own view of its GPUs, its rings and trees"],
      ['collbench topo system.xml graphs.xml rank*.log', 'what NCCL wrote elsewhere'],
    ],
    builder: (parser) =>
      withOptions(
        withExamples(withSeveralWords(parser), command.examples),
        'topo',
        saidIn(words),
        () => {
          throw new CommandError('topo reads no config file');
        },
        false,
        topoKeys,
      )
        .positional('file', {
          type: 'string',
          array: true,
          describe:
            "NCCL's topology, graphs or logs, output of nvidia-smi topo -m or collbench doctor --json, folder of a run; any number of each",
        })
        .options({
          dump: {
            type: 'string',
            requiresArg: true,
            describe:
              'Let NCCL write its topology and graphs into this folder first; starts it on all GPUs here',
          },
          svg: { type: 'string', requiresArg: true, describe: 'Write the picture to this file, too' },
          ...jsonOption,
          json: { type: 'boolean', describe: 'One JSON object: everything, with the ceiling of each path' },
        })
        .epilogue(
          'Rates are what links carry in one direction; what is not known says so. Exit codes: 0; 1 a file that is not understood; 2 a host that could not be asked.',
        ),
    handler: async (found) => {
      process.exitCode = await run(words, found);
    },
  };
  return command;
}
