import type { RunRecord } from '../schema/index.ts';
import { isSecret } from '../store/environment.ts';
import { Redactor } from './redact.ts';

/** Matches options whose values are private or give access to machines. The bundle contains the options without their values. */
const unsaid = /^--(?:note|identity|ssh-config|known-hosts|remote-dir)(?:=|$)/;

/**
 * Returns the record in the form in which a bundle (packed run for other people) stores it; the given record is not changed. Names
 * of hosts and people, paths and addresses are replaced. Notes, logs, the suite, details of failures, secrets in the environment
 * and values of some options are left out. Versions are not changed unless they contain a path, because a version such as 1.2.3.4
 * looks like an address.
 * @returns the record, and the `redactor` with which the caller makes the same replacements in results and samples
 */
export function redactedRun(record: RunRecord): { record: RunRecord; redactor: Redactor } {
  const redactor = new Redactor(record);
  const { logs: _, notes: __, suite: ___, versions, ...rest } = record;
  const shared = redactor.deep(rest);
  const command = record.plan.command.flatMap((word, i, words) => {
    if (unsaid.test(words[i - 1] ?? '') && !(words[i - 1] ?? '').includes('=')) return ['...'];
    return unsaid.test(word) && word.includes('=')
      ? [`${word.slice(0, word.indexOf('='))}=...`]
      : [redactor.text(word)];
  });
  const environment = Object.entries(record.environment).flatMap(([name, value]) =>
    isSecret(name, value) ? [] : [[name, redactor.text(value)] as const],
  );
  return {
    redactor,
    record: {
      ...shared,
      id: record.id,
      plan: { ...shared.plan, command },
      versions: Object.fromEntries(
        Object.entries(versions).map(([name, value]) => [
          redactor.text(name),
          value.includes('/') ? redactor.text(value) : value,
        ]),
      ),
      environment: Object.fromEntries(environment),
      // The content of details, such as lines of logs, cannot be foreseen, so they are left out.
      failures: shared.failures.map((failure) => ({ ...failure, details: [] })),
    },
  };
}
