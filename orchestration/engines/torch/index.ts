import { workerEngine } from '../worker.ts';

/** Engine for training with PyTorch in Python worker processes, on any machine whose Python has PyTorch. */
export const torch = workerEngine('torch', ['torch', 'torchvision']);
