/** `auto`: emulated only if there is no device. A device that cannot be used is an error. */
export const mediumOptions = ['auto', 'hardware', 'emulated'] as const;

/** Queue kinds of ibgda. rc: a reliable connection to each peer. dc: initiators whose entries each name their target. */
export const queueKinds = ['rc', 'dc'] as const;

/** Options of all transports; each transport uses those that apply to it. */
export interface TransportOptions {
  medium: (typeof mediumOptions)[number];
  interface: string | null;
  streams: number;
  sisciLibrary: string | null;
  ibgdaQueue: (typeof queueKinds)[number];
  link: string;
  fault: string | null;
  pathProof: boolean;
}
