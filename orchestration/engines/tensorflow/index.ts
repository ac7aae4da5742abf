import { workerEngine } from '../worker.ts';

/** TensorFlow on any machine whose Python has it. */
export const tensorflow = workerEngine('tensorflow', ['tensorflow']);
