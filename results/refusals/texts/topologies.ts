// Refusal messages about input files of `collbench topo`.
import { cannotRunHere } from '../wording.ts';

export const topologyTexts = {
  'topology-too-large': cannotRunHere(({ file }: { file: string }) => ({
    message: `${file}: more than 256 MiB`,
    details: ['give a part of it'],
  })),
  'topology-unreadable': cannotRunHere(({ file, why }: { file: string; why: string }) => ({
    message: `${file} cannot be read: ${why}`,
    details: ['allowed: files, and folders of runs'],
  })),
  'folder-of-no-run': cannotRunHere(({ folder }: { folder: string }) => ({
    message: `${folder} is a folder without machines.json`,
    details: ['a folder is read where it is that of a run; name the file instead'],
    next: 'collbench runs',
  })),
  'topology-not-understood': cannotRunHere(
    ({ file, why, kinds }: { file: string; why: string; kinds: readonly string[] }) => ({
      message: `${file}: ${why}`,
      details: ['allowed:', ...kinds.map((kind) => `  ${kind}`)],
    }),
  ),
  'no-nccl-dump': cannotRunHere(({ folder, said }: { folder: string; said: readonly string[] | null }) => ({
    message:
      said === null
        ? `NCCL wrote no topology to ${folder}`
        : 'NCCL could not be started to write its topology',
    details: said ?? ['a fake NCCL has none; a real one obeys NCCL_TOPO_DUMP_FILE from 2.4 on'],
  })),
  'nothing-to-draw': cannotRunHere(({ file }: { file: string }) => ({
    message: `nothing can be drawn for ${file}`,
    details: ['machines with devices, rings or trees are; what is known stands above'],
    next: { change: { svg: null } },
  })),
};
