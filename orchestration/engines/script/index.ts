import { workerEngine } from '../worker.ts';

/** Programs of users. */
export const script = workerEngine('script', []);
