import { workerEngine } from '../worker.ts';

/** Engine for PyTorch, on any machine whose Python has it. */
export const torch = workerEngine('torch', ['torch', 'torchvision']);
