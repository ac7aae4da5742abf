/**
 * Values of --medium. `auto` uses the software device only if there is no hardware device; a hardware device that cannot be
 * used is an error.
 */
export const mediumOptions = ['auto', 'hardware', 'emulated'] as const;

/**
 * Kinds of InfiniBand queue pairs that ibgda uses. rc: a reliable connection to each peer. dc: dynamically connected
 * initiators, where each work request names its target.
 */
export const queueKinds = ['rc', 'dc'] as const;

/** Options of all transports together; each transport uses only those that apply to it. */
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
