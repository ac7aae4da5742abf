import { workerEngine } from '../worker.ts';

/** PyTorch on any machine whose Python has it. */
export const torch = workerEngine('torch', ['torch', 'torchvision']);
