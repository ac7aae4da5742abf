/** `auto`: emulated only where no device is there; one that is there and cannot be used is an error. */
export const mediumOptions = ['auto', 'hardware', 'emulated'] as const;

/** Of ibgda: a reliable connection to each peer, or initiators that name the target of each entry. */
export const queueKinds = ['rc', 'dc'] as const;

/** What is asked of transports; each takes what applies to it. */
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
