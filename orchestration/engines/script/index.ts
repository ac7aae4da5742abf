import { workerEngine } from '../worker.ts';

/** Engine that runs a user's own Python training program, one worker process per rank. */
export const script = workerEngine('script', []);
