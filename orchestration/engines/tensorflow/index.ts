import { workerEngine } from '../worker.ts';

/** Engine for training with TensorFlow in Python worker processes, on any machine whose Python has TensorFlow. */
export const tensorflow = workerEngine('tensorflow', ['tensorflow']);
