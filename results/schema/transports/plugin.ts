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

/** Matches names of folders that say nothing about the plugin in them, such as "lib". */
const plainFolder = /^(lib|lib64|\.libs|usr|local|opt|build|src|[\w-]+-linux-gnu|)$/;

/**
 * Returns a short name for the plugin of a transport `plugin:PATH`, from its file name: "x" for
 * `plugin:/opt/lib/libnccl-net-x.so`. A plugin with the usual file name libnccl-net.so is named after the last folder with a
 * telling name: "aws-ofi" for `plugin:/opt/aws-ofi/lib/libnccl-net.so`; without one it is "libnccl-net". Null for other
 * transports. The file need not exist.
 */
export function pluginWord(transport: string): string | null {
  if (!transport.startsWith('plugin:')) return null;
  const folders = transport.slice('plugin:'.length).split('/');
  const own = (folders.pop() ?? '').replace(/^libnccl-net-/, '').replace(/\.so[.\d]*$/, '');
  const folder = own === 'libnccl-net' ? folders.findLast((one) => !plainFolder.test(one)) : undefined;
  return folder ?? own;
}
