import type { TransportRow } from './row.ts';

/** Transport through an NCCL net plugin (libnccl-net-*.so), which the user names by its path. */
export const plugin: TransportRow = {
  name: 'plugin',
  title: 'plugin',
  evidence: 'found',
  colour: 'sky',
  gpuLinks: null,
  emulator: null,
  takesInterface: true,
  joins: 'hosts',
  isOwn: true,
  hasFlags: false,
  runScatter: 0.04,
  takesPuts: false,
};

/** Matches folder names that do not describe their content, such as "lib". */
const plainFolder = /^(lib|lib64|\.libs|usr|local|opt|build|src|[\w-]+-linux-gnu|)$/;

/**
 * Returns a word for the plugin of transport `plugin:PATH`: "x" for `plugin:/opt/lib/libnccl-net-x.so`. NCCL loads libnccl-net.so
 * by default, so most plugins have that file name. They are named by their folder: "aws-ofi" for
 * `plugin:/opt/aws-ofi/lib/libnccl-net.so`. Null for other transports.
 */
export function pluginWord(transport: string): string | null {
  if (!transport.startsWith('plugin:')) return null;
  const folders = transport.slice('plugin:'.length).split('/');
  const own = (folders.pop() ?? '').replace(/^libnccl-net-/, '').replace(/\.so[.\d]*$/, '');
  const folder = own === 'libnccl-net' ? folders.findLast((one) => !plainFolder.test(one)) : undefined;
  return folder ?? own;
}
