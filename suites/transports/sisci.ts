import { softntb as device, settingsOf } from './emulators.ts';
import type { TransportOptions } from './options.ts';
import type { TransportPlanning } from './transport.ts';

/** Name of the software device that emulates a Dolphin adapter. */
export const softntb = device.name;

/**
 * Path of the SISCI library to open, or `softntb`; null = the agent decides. The agent opens libsisci.so, or softntb if the host
 * has neither libsisci.so nor a Dolphin card.
 */
const libraryOf = ({ sisciLibrary, medium }: TransportOptions): string | null =>
  sisciLibrary ?? (medium === 'emulated' ? softntb : null);

export const sisci: TransportPlanning = {
  name: 'sisci',
  emulation: { by: softntb, needs: 'a Dolphin adapter with its driver and libsisci.so' },
  within(options) {
    const library = libraryOf(options);
    const isHardware = options.medium === 'hardware' || (library !== null && library !== softntb);
    return isHardware ? null : softntb;
  },
  options(options) {
    const library = libraryOf(options);
    return {
      ...settingsOf(device, options),
      pathProof: options.pathProof,
      ...(library === null ? {} : { library }),
    };
  },
};
