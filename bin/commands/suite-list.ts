import { sanitiseLine, wrap, wrapBeside } from '../../results/text.ts';
import { loadSuite, shippedSuites } from '../../suites/suite/load.ts';
import type { SuiteOptionTexts } from '../../suites/suite/types.ts';
import { commandOf, suiteReading } from '../suite-options.ts';
import { printText, shapeOfStdout } from '../terminal.ts';

/** Prints the suites that collbench ships, with title and number of runs. @param json true = print one JSON object per suite */
export async function listSuites(json: boolean): Promise<void> {
  const rows = [];
  for (const name of await shippedSuites(suiteReading)) {
    const { suite, entries } = await loadSuite(name, suiteReading);
    rows.push({ name, title: suite.title, entries: entries.length });
  }
  const { columns } = shapeOfStdout(80);
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = json
    ? rows.map((row) => JSON.stringify(row))
    : [
        ...rows.flatMap(({ name, title, entries }) => {
          const lead = `${name.padEnd(width)}  ${String(entries).padStart(3)} entries  `;
          return wrapBeside(lead, sanitiseLine(title), columns);
        }),
        'Name your own file by its path: collbench suite ./mine.yaml',
      ];
  printText(`${lines.join('\n')}\n`);
}

/**
 * Prints the command line of each run of a suite, without contacting any host.
 * @param name name of a shipped suite, or path of a file
 * @param given options that replace those of the suite file
 * @param only names of entries or of single runs to print; null = all
 * @param json true = print one JSON object per run
 * @throws Refusal if the suite does not exist or is invalid, or if a name in `only` is unknown
 */
export async function listEntries(
  name: string,
  given: SuiteOptionTexts,
  only: readonly string[] | null,
  json: boolean,
): Promise<void> {
  const { entries } = await loadSuite(name, suiteReading, given, only);
  const { columns } = shapeOfStdout(80);
  for (const entry of entries) {
    const { command, words } = commandOf(entry);
    const environment = Object.fromEntries([...entry.environment].map(([key, { text }]) => [key, text]));
    const variables = Object.entries(environment).map(([key, value]) => `${key}=${value}`);
    const line = `  ${[...variables, 'collbench', command.name, ...words].join(' ')}`;
    printText(
      json
        ? `${JSON.stringify({ name: entry.name, collective: command.name, words, environment })}\n`
        : `${entry.name}\n${wrap(line, columns - 2, '  ').join(' \\\n')}\n`,
    );
  }
}
