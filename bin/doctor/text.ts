import { foldNames } from '../../orchestration/hosts/fold.ts';
import { type Finding, type Severity, severities, worst } from '../../results/doctor/index.ts';
import { harmless, wrap } from '../text.ts';
import type { Diagnosis } from './diagnose.ts';

type Paint = (text: string, severity: Severity) => string;
const plain: Paint = (text) => text;

const idWidth = 21;
const wordWidth = 8;

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

/** "node[01-08]: " where a finding is not of all hosts. */
function lead({ hosts }: Finding, all: number): string {
  return hosts.length === 0 || hosts.length === all ? '' : `${foldNames(hosts)}: `;
}

function linesOf(finding: Finding, all: number, width: number, verbose: boolean, paint: Paint): string[] {
  const { severity, id, saw, why, fix, transports, title } = finding;
  const indent = ' '.repeat(2 + wordWidth + 1 + idWidth + 1);
  const [first = '', ...more] = wrap(indent + harmless(`${lead(finding, all)}${saw}`), width);
  const word = paint(severity.padEnd(wordWidth), severity);
  const lines = [`  ${word} ${id.padEnd(idWidth)} ${first.trimStart()}`, ...more];
  const said = (label: string, text: string) => {
    const [head = '', ...rest] = wrap(`${' '.repeat(17)}${harmless(text)}`, width);
    return [`${' '.repeat(11)}${label.padEnd(6)}${head.trimStart()}`, ...rest];
  };
  const isPlain = severity === 'ok' || severity === 'note';
  if (isPlain && !verbose) return lines;
  const of = transports === 'all' ? 'every transport' : transports.join(', ');
  if (verbose) lines.push(...said('what', `${title} (${of})`));
  lines.push(...said('why', why));
  if (fix !== undefined) lines.push(...said('fix', fix));
  return lines;
}

/** The last line: what follows from it, in words. */
function verdict(findings: readonly Finding[]): string {
  const of = (severity: Severity) => findings.filter((one) => one.severity === severity).length;
  const [errors, warnings, unknowns] = [of('error'), of('warning'), of('unknown')];
  if (errors > 0) return `${count(errors, 'error')}: what is asked will not run, or gives wrong data. Exit 2`;
  if (warnings + unknowns > 0) {
    const what = [
      ...(warnings > 0 ? [count(warnings, 'warning')] : []),
      ...(unknowns > 0 ? [`${unknowns} unknown`] : []),
    ].join(', ');
    return `${what}: it will run; whether the figures are to be trusted is open. Exit 5`;
  }
  return 'nothing stands in the way. Exit 0';
}

/**
 * One line per finding, the gravest last, where a terminal shows it; why and what to do under those that need it.
 * @param width of the terminal
 */
export function doctorText(
  { findings, passedOver, view, machines }: Diagnosis,
  {
    transports,
    verbose,
    width,
    paint = plain,
  }: {
    transports: readonly string[] | null;
    verbose: boolean;
    width: number;
    paint?: Paint;
  },
): string {
  const names = view.hosts.map(({ name }) => name);
  const subject = transports === null ? 'all transports' : transports.join(', ');
  const sorted = [...findings].sort(
    (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
  );
  const nothing = passedOver.filter(({ because }) => because === 'nothing here').length;
  const others = passedOver.length - nothing;
  const counts = severities
    .map((severity) => [severity, findings.filter((one) => one.severity === severity).length] as const)
    .filter(([, n]) => n > 0)
    .map(([severity, n]) =>
      severity === 'ok' || severity === 'unknown' ? `${n} ${severity}` : count(n, severity),
    );
  const left = [
    ...(nothing > 0 ? [`${count(nothing, 'check')} had nothing to look at`] : []),
    ...(others > 0 ? [`${others} are of other transports`] : []),
  ];
  const grave = worst(findings);
  return [
    ...wrap(`doctor: ${harmless(foldNames(names))} · ${harmless(subject)}`, width),
    ...sorted.flatMap((one) => linesOf(one, machines.size, width, verbose, paint)),
    ...wrap(`${counts.join(', ')}${left.length > 0 ? `; ${left.join(', ')}` : ''}`, width),
    ...wrap(verdict(findings), width).map((line) => paint(line, grave)),
    ...(verbose ? [] : ['More: collbench doctor --verbose']),
    '',
  ].join('\n');
}
