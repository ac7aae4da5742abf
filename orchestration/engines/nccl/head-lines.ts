import { gpusOfFacts, gpusText, type NcclFacts } from './facts.ts';

/** Lines for --explain about the NCCL library, driver and GPUs that were found. */
export function headLines(facts: NcclFacts, settings: Record<string, string>): string[] {
  const gpus = gpusOfFacts(facts);
  const library =
    facts['nccl.path'] === undefined
      ? 'no NCCL found'
      : `NCCL ${facts['nccl.version'] ?? '(version unknown)'} of ${facts['nccl.path']}, found by ${facts['nccl.how'] ?? 'search'}`;
  const driver =
    facts['driver.version'] === undefined
      ? 'none found'
      : `for CUDA ${facts['driver.version']}${facts['driver.release'] === undefined ? '' : `, release ${facts['driver.release']}`}`;
  const words = Object.entries(settings).map(([word, value]) => `${word}=${value}`);
  return [
    `engine nccl: ${library}`,
    `  driver: ${driver}`,
    `  GPUs: ${gpus.length === 0 ? 'none' : gpusText(gpus)}`,
    `  NVRTC: ${facts['nvrtc.path'] ?? `${facts['nvrtc.missing'] ?? 'not looked for'}: the host fills and compares`}`,
    ...(words.length === 0 ? [] : [`  settings: ${words.join(' ')}`]),
  ];
}
