import { sanitiseLine } from '../../results/text.ts';
import { loadSuite, type SuiteOptionTexts, shippedSuites } from '../../suites/suite/index.ts';
import { commandOf, suiteReading } from '../suite-options.ts';
import { printText } from '../terminal.ts';

/** Prints the shipped suites with their title and number of runs; as JSON if `json` is true. */
export async function listSuites(json: boolean): Promise<void> {
  const rows = [];
  for (const name of await shippedSuites(suiteReading)) {
    const { suite, entries } = await loadSuite(name, suiteReading);
    rows.push({ name, title: suite.title, entries: entries.length });
  }
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = json
    ? rows.map((row) => JSON.stringify(row))
    : [
        ...rows.map(
          ({ name, title, entries }) =>
            `${name.padEnd(width)}  ${String(entries).padStart(3)} entries  ${sanitiseLine(title)}`,
        ),
        'Name your own file by its path: collbench suite ./mine.yaml',
      ];
  printText(`${lines.join('\n')}\n`);
}

/**
 * Prints the command line of each entry, without inspecting any host.
 * @throws Refusal if the suite is invalid
 */
export async function listEntries(
  name: string,
  given: SuiteOptionTexts,
  only: readonly string[] | null,
  json: boolean,
): Promise<void> {
  const { entries } = await loadSuite(name, suiteReading, given, only);
  for (const entry of entries) {
    const { collective, words } = commandOf(entry);
    const environment = Object.fromEntries([...entry.environment].map(([key, { text }]) => [key, text]));
    const variables = Object.entries(environment).map(([key, value]) => `${key}=${value} `);
    printText(
      json
        ? `${JSON.stringify({ name: entry.name, collective, words, environment })}\n`
        : `${entry.name}\n  ${variables.join('')}collbench ${[collective, ...words].join(' ')}\n`,
    );
  }
}
