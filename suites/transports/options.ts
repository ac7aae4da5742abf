/** What is asked of transports; each takes what applies to it. */
export interface TransportOptions {
  interface: string | null;
  streams: number;
  sisciLibrary: string | null;
  link: string;
  fault: string | null;
  pathProof: boolean;
}
