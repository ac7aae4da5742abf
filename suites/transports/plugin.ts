import path from 'node:path';
import { settingsOf, softntb } from './emulators.ts';
import { overInterface, type TransportPlanning } from './transport.ts';

const prefix = 'plugin:';

export const isPlugin = (name: string): boolean => name.startsWith(prefix);
export const pluginPath = (name: string): string => name.slice(prefix.length);

/** Name of the transport; the path of a plugin is made absolute, so that the plan does not depend on the current folder. */
export const fullName = (name: string): string =>
  isPlugin(name) ? `${prefix}${path.resolve(pluginPath(name))}` : name;

/** Transport over any NCCL net plugin. Its full name contains the plugin's path: "plugin:PATH". */
export const plugin: TransportPlanning = {
  name: 'plugin',
  emulation: { by: 'the plugin itself', needs: 'the device of the plugin' },
  options: (options, name) => ({
    ...overInterface(options),
    ...settingsOf(softntb, options),
    pathProof: options.pathProof,
    library: pluginPath(name),
  }),
};
