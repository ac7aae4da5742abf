import pc from 'picocolors';
import type { Severity } from '../../results/doctor/index.ts';

const colours: Record<Severity, (text: string) => string> = {
  ok: pc.green,
  note: (text) => text,
  unknown: pc.magenta,
  warning: pc.yellow,
  error: pc.red,
};

/** A severity in its colour; plain where output is no terminal or NO_COLOR is set. */
export const paint = (text: string, severity: Severity): string => colours[severity](text);
