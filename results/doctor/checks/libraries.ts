import type { MachineReport } from '../../machine/index.ts';
import { engineRow } from '../../schema/index.ts';
import {
  type CheckContext,
  type DoctorCheck,
  error,
  isTransportRequested,
  listSome,
  note,
  ok,
  unknown,
  warning,
} from '../check.ts';

type CheckedLibrary = MachineReport['libraries'][number];

/**
 * Returns the version of NCCL, "2.28.9": from the first engine's answer that contains it, or else from the path of the first
 * libnccl.so.2, ".../libnccl.so.2.28.9". Null if not known.
 */
export function ncclVersionOf(machine: MachineReport, probed: CheckContext['probed']): string | null {
  for (const { facts } of probed) if (facts['nccl.version'] !== undefined) return facts['nccl.version'];
  const library = machine.libraries.find(({ name }) => name === 'libnccl.so.2');
  return /libnccl\.so\.(\d+\.\d+\.\d+)$/.exec(library?.path ?? '')?.[1] ?? null;
}

/**
 * Newest and oldest version of the ncclNet plugin interface that NCCL accepts, from the given release of NCCL (its version code) up
 * to the newer release in the row before. Source: src/plugin/net* of each release.
 */
const acceptedVersions: readonly (readonly [from: number, newest: number, oldest: number])[] = [
  [23003, 12, 6],
  [22803, 11, 6],
  [22600, 10, 6],
  [22400, 9, 5],
  [22000, 8, 5],
  [21900, 7, 5],
  [21300, 6, 4],
  [21200, 5, 4],
  [20800, 4, 4],
];

const versionNumber = (text: string): number => {
  const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number);
  return major * 10_000 + minor * 100 + patch;
};

const netVersions = ({ symbols }: CheckedLibrary): number[] =>
  symbols.flatMap((name) => {
    const version = /^ncclNetPlugin_v(\d+)$/.exec(name)?.[1];
    return version === undefined ? [] : [Number(version)];
  });

/**
 * Returns, as text, why NCCL cannot load a net plugin; null if no reason is known. If the version of NCCL is not known, the
 * versions of the interface are not compared.
 * @param nccl version of NCCL, "2.28.9"; null = not known
 */
function loadObstacle(plugin: CheckedLibrary, nccl: string | null): string | null {
  if (plugin.problem !== '') return plugin.problem;
  const versions = netVersions(plugin);
  if (versions.length === 0) return 'it exports no ncclNetPlugin_vN';
  const range = nccl === null ? undefined : acceptedVersions.find(([from]) => versionNumber(nccl) >= from);
  if (range === undefined || versions.some((v) => v >= range[2] && v <= range[1])) return null;
  return `it has ncclNetPlugin_v${versions.join(', _v')}; NCCL ${nccl} takes v${range[2]} to v${range[1]}`;
}

const isPlugin = ({ name }: CheckedLibrary) =>
  /^libnccl-net.*\.so$/.test(name.slice(name.lastIndexOf('/') + 1));
const pathsAsked = ({ transports }: CheckContext): string[] =>
  transports?.flatMap((t) => (t.startsWith('plugin:') ? [t.slice('plugin:'.length)] : [])) ?? [];

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/') + 1);

const remedy = 'build the plugin for this NCCL and processor; see: nm -D FILE | grep ncclNetPlugin';

export const libraryChecks: DoctorCheck[] = [
  {
    id: 'transport.runs',
    title: 'The transports that were asked for',
    transports: 'all',
    why: 'A transport that cannot run is refused before the run starts.',
    look(_machine, { transports, probed }) {
      // Other engines are asked about the transport socket only to learn the version of their library, so that answer is left out.
      const named = probed.filter(
        (one) =>
          transports?.includes(one.transport) &&
          (engineRow(one).isEmbedded === true || one.transport !== 'socket'),
      );
      if (named.length === 0) return null;
      const missing = named.find(({ available }) => !available);
      if (missing === undefined) return ok(`${listSome(named.map(({ transport }) => transport))} can run`);
      return error(
        `${missing.transport} (engine ${missing.engine}): ${missing.reason.replace(/\.$/, '')}`,
        missing.remedy === '' ? 'collbench transports --explain' : missing.remedy,
      );
    },
  },
  {
    id: 'plugin.abi',
    title: 'NCCL net plugins: found, and of a version NCCL takes',
    transports: ['plugin'],
    why: 'NCCL skips a plugin that it cannot load and uses its own sockets instead.',
    look(machine, asked) {
      const named = pathsAsked(asked);
      const plugins = machine.libraries.filter((one) => isPlugin(one) || named.includes(one.name));
      if (plugins.length === 0) return null;
      const nccl = ncclVersionOf(machine, asked.probed);
      const bad = plugins.flatMap((one) => {
        const why = loadObstacle(one, nccl);
        return why === null ? [] : [{ name: one.path, why, isNamed: named.includes(one.name) }];
      });
      const [first] = [...bad].sort((a, b) => Number(b.isNamed) - Number(a.isNamed));
      if (first === undefined) {
        const text = plugins.map((one) => `${one.name} v${Math.max(...netVersions(one))}`);
        return ok(listSome(text, 2));
      }
      const more = bad.length > 1 ? ` (and ${bad.length - 1} more)` : '';
      const severity = first.isNamed || isTransportRequested(asked, 'plugin') ? error : warning;
      return severity(`${first.name}: ${first.why}${more}`, remedy);
    },
  },
  {
    id: 'plugin.environment',
    title: 'NCCL_NET_PLUGIN of the environment',
    transports: ['plugin', 'socket', 'ib'],
    why: 'A plugin named in the environment overrides the built-in networks of NCCL.',
    look(machine) {
      const wanted = machine.environment.NCCL_NET_PLUGIN;
      if (wanted === undefined || wanted === '' || wanted === 'none') return null;
      const file = wanted.includes('/') || wanted.endsWith('.so') ? wanted : `libnccl-net-${wanted}.so`;
      const found = machine.libraries.some(({ name, path }) => [name, path].includes(file));
      if (found) return note(`${wanted} is used unless a transport sets another`, 'unset NCCL_NET_PLUGIN');
      return warning(
        `${wanted}, and no ${file} is found`,
        'put its folder into LD_LIBRARY_PATH, or unset NCCL_NET_PLUGIN',
      );
    },
  },
  {
    id: 'nccl.library',
    title: 'libnccl',
    transports: ['p2p', 'shm', 'ib', 'ibgda'],
    why: 'Engine nccl opens the libnccl.so.2 it finds; it may not be the one you intend to measure.',
    look(machine, asked) {
      const hasGpu = (machine.gpus?.length ?? 0) > 0;
      const asksGpu = isTransportRequested(asked, 'p2p', 'ib', 'ibgda');
      if (!hasGpu && !asksGpu) return null;
      const version = ncclVersionOf(machine, asked.probed);
      const paths = machine.libraries.filter(({ name }) => name === 'libnccl.so.2').map(({ path }) => path);
      const probed = asked.probed.map(({ facts }) => facts['nccl.path']).find((path) => path !== undefined);
      const [path = probed] = paths;
      if (path === undefined) {
        return error('none found', 'pip install nvidia-nccl-cu13, the package libnccl2, or --nccl PATH');
      }
      const folders = new Set(paths.map(folderOf));
      if (probed !== undefined && !folders.has(folderOf(probed)) && paths.length > 0)
        return note(
          `${version} of ${probed} is opened; beside it ${listSome([...new Set(paths)], 2)}`,
          'choose with --nccl PATH',
        );
      if (new Set(paths).size > 1)
        return note(`${new Set(paths).size} of them: ${listSome(paths, 2)}`, 'choose with --nccl PATH');
      return version === null ? unknown(`${path}, version unknown`) : ok(`${version}, ${path}`);
    },
  },
  {
    id: 'sisci.library',
    title: 'libsisci, where a Dolphin adapter is',
    transports: ['sisci'],
    why: 'Without the library and its driver sisci is emulated and does not show the speed of the adapter.',
    look(machine, asked) {
      const card = machine.pci.some(({ vendor }) => vendor === '0x11c8');
      const library = machine.libraries.find(({ name }) => name === 'libsisci.so');
      const hasDriver = machine.system.modules.some((name) => name.startsWith('dis_'));
      if (!card && library === undefined) {
        return isTransportRequested(asked, 'sisci')
          ? note('no Dolphin adapter and no libsisci: EMULATED by softntb')
          : null;
      }
      if (library === undefined) {
        return warning(
          'an adapter, and no libsisci.so',
          "install Dolphin's eXpressWare, or --sisci-library PATH",
        );
      }
      if (library.problem !== '') return error(`${library.path}: ${library.problem}`, '--sisci-library PATH');
      if (!hasDriver) return warning('the drivers are not loaded', 'as root: systemctl start dis_services');
      return ok(library.path);
    },
  },
  {
    id: 'rdma.library',
    title: 'libibverbs, where RDMA adapters are',
    transports: ['ib', 'ibgda'],
    why: 'NCCL reaches RDMA adapters through libibverbs only.',
    look({ rdma, libraries }) {
      if (rdma.length === 0) return null;
      const found = libraries.find(({ name }) => name === 'libibverbs.so.1');
      if (found !== undefined) return ok(found.path);
      return error('none found', 'install libibverbs1 and rdma-core (Debian), libibverbs (RHEL)');
    },
  },
];
