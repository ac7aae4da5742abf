import type { TerminalPlot } from '../../../reports/terminal/plot.ts';
import { printText, saysUtf8, shapeOfStdout } from '../../terminal.ts';
import type { CommandFlags } from './own-options.ts';

/** Options shared by commands that draw charts on the terminal. */
export const chartFlags = {
  chart: { help: 'Also draw charts on the terminal' },
  ascii: { help: 'Charts of ASCII characters only', shown: 'where the locale is not UTF-8' },
} as const satisfies CommandFlags;

/** Option --png, shared by commands that can write a picture. */
export const pngFlag = {
  png: { help: 'Write the main chart as a PNG picture', value: 'FILE', parse: String },
} as const satisfies CommandFlags;

/** Draws plots on the terminal. @param ascii true = draw with ASCII characters, whatever the locale is */
export async function printPlots(plots: readonly TerminalPlot[], ascii: boolean): Promise<void> {
  const { plotText } = await import('../../../reports/terminal/plot.ts');
  const shape = { ...shapeOfStdout(80), ascii: ascii || !saysUtf8() };
  for (const plot of plots) printText(`\n${plotText(plot, shape)}`);
}
