import { workerEngine } from '../worker.ts';

/** Engine that runs a user's own training program, as Python workers. */
export const script = workerEngine('script', []);
