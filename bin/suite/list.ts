import { harmless } from '../../results/text.ts';
import { loadSuite, shippedSuites } from '../../suites/suite/index.ts';
import { CommandError } from '../exit.ts';
import type { SuiteOptions } from './carry-out.ts';
import { reading } from './vocabulary.ts';
import { commandOf } from './words.ts';

/** The shipped suites, each with its title and how many runs it makes. */
export async function listSuites(json: boolean): Promise<void> {
  const rows = [];
  for (const name of await shippedSuites(reading)) {
    const { suite, entries } = await loadSuite(name, reading);
    rows.push({ name, title: suite.title, entries: entries.length });
  }
  if (json) {
    for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
    return;
  }
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, title, entries } of rows) {
    process.stdout.write(
      `${name.padEnd(width)}  ${String(entries).padStart(3)} entries  ${harmless(title)}\n`,
    );
  }
  process.stdout.write('A file of your own goes by its path: collbench suite ./mine.yaml\n');
}

/** What an entry would type; nothing is asked of the machine. @throws CommandError a mistake in the suite */
export async function listEntries(name: string, options: SuiteOptions): Promise<void> {
  const { entries } = await loadSuite(name, reading, options.given);
  if (options.isPlanOnly)
    throw new CommandError('--list and --plan-only: two ways to show it', ['  allowed: one']);
  for (const entry of entries) {
    const { collective, words } = commandOf(entry);
    const environment = Object.fromEntries([...entry.environment].map(([key, { text }]) => [key, text]));
    if (options.json) {
      process.stdout.write(`${JSON.stringify({ name: entry.name, collective, words, environment })}\n`);
      continue;
    }
    const variables = Object.entries(environment).map(([key, value]) => `${key}=${value} `);
    process.stdout.write(
      harmless(`${entry.name}\n  ${variables.join('')}collbench ${[collective, ...words].join(' ')}\n`),
    );
  }
}
