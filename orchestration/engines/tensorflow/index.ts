import { workerEngine } from '../worker.ts';

/** Engine for TensorFlow, on any machine whose Python has it. */
export const tensorflow = workerEngine('tensorflow', ['tensorflow']);
