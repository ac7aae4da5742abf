import pc from 'picocolors';
import { type Severity, severities } from '../results/doctor/check.ts';
import { type ClusterDiagnosis, type DoctorFinding, worstSeverity } from '../results/doctor/examine.ts';
import { foldNames } from '../results/fold.ts';
import { sanitiseText, wrap, wrapBeside } from '../results/text.ts';
import { plural } from '../results/units.ts';

type SeverityPaint = (text: string, severity: Severity) => string;

/** Returns a function that colours a text by severity; without `color`, and for notes, the text stays unchanged. */
function painter(color: boolean): SeverityPaint {
  const { green, magenta, yellow, red } = pc.createColors(color);
  const colours = { ok: green, note: String, unknown: magenta, warning: yellow, error: red };
  return (text, severity) => colours[severity](text);
}

const idWidth = 21;
const wordWidth = 8;

/**
 * Returns the hosts to which a finding applies, as prefix of its line: "node[01-08]: ". "" if it applies to all hosts or names
 * none.
 * @param all number of hosts that answered
 */
function lead({ hosts }: DoctorFinding, all: number): string {
  return hosts.length === 0 || hosts.length === all ? '' : `${foldNames(hosts)}: `;
}

function linesOf(
  finding: DoctorFinding,
  all: number,
  width: number,
  verbose: boolean,
  paint: SeverityPaint,
): string[] {
  const { severity, id, observation, why, fix, transports, title } = finding;
  const word = paint(severity.padEnd(wordWidth), severity);
  const lines = wrapBeside(
    `  ${word} ${id.padEnd(idWidth)} `,
    sanitiseText(`${lead(finding, all)}${observation}`),
    width,
    2 + wordWidth + 1 + idWidth + 1,
  );
  const detailLines = (label: string, text: string) =>
    wrapBeside(' '.repeat(11) + label.padEnd(6), sanitiseText(text), width);
  const isPlain = severity === 'ok' || severity === 'note';
  if (isPlain && !verbose) return lines;
  const of = transports === 'all' ? 'every transport' : transports.join(', ');
  if (verbose) lines.push(...detailLines('what', `${title} (${of})`));
  lines.push(...detailLines('why', why));
  if (fix !== undefined) lines.push(...detailLines('fix', fix));
  return lines;
}

/**
 * Returns the verdict at the end of the doctor's output: number of problems, what they mean for runs, and the exit code. If there
 * are errors, only errors are counted; else warnings and unknown values.
 */
function verdict(findings: readonly DoctorFinding[]): string {
  const of = (severity: Severity) => findings.filter((one) => one.severity === severity).length;
  const [errors, warnings, unknowns] = [of('error'), of('warning'), of('unknown')];
  if (errors > 0) return `${plural(errors, 'error')}: the run will fail or give wrong data. Exit 2`;
  if (warnings + unknowns > 0) {
    const what = [
      ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
      ...(unknowns > 0 ? [`${unknowns} unknown`] : []),
    ].join(', ');
    return `${what}: runs will work, but results may be unreliable. Exit 5`;
  }
  return 'no problems found. Exit 0';
}

/**
 * Returns the output of `collbench doctor`: a first line with hosts and transports, one line per finding (longer ones wrapped), the
 * number of findings by severity and of skipped checks, and the verdict. The most serious finding is last, because a terminal shows
 * the last lines. A warning, an error or an unknown value is followed by its reason and, if there is one, its remedy.
 * @param transports transports that were checked; null = all
 * @param verbose true = also prints what was checked, and the reason and remedy of findings without a problem
 * @param width width of the terminal in characters
 */
export function doctorText(
  { findings, skipped, view }: ClusterDiagnosis,
  {
    transports,
    verbose,
    width,
    color = false,
  }: { transports: readonly string[] | null; verbose: boolean; width: number; color?: boolean },
): string {
  const names = view.hosts.map(({ name }) => name);
  const paint = painter(color);
  const reached = view.hosts.filter(({ machine }) => machine !== null).length;
  const subject = transports === null ? 'all transports' : transports.join(', ');
  const sorted = [...findings].sort(
    (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
  );
  const nothing = skipped.filter(({ reason }) => reason === 'not applicable').length;
  const others = skipped.length - nothing;
  const counts = severities
    .map((severity) => [severity, findings.filter((one) => one.severity === severity).length] as const)
    .filter(([, n]) => n > 0)
    .map(([severity, n]) =>
      severity === 'ok' || severity === 'unknown' ? `${n} ${severity}` : plural(n, severity),
    );
  const left = [
    ...(nothing > 0 ? [`${plural(nothing, 'check')} ${nothing === 1 ? 'does' : 'do'} not apply here`] : []),
    ...(others > 0 ? [`${others} ${others === 1 ? 'concerns' : 'concern'} other transports`] : []),
  ];
  const grave = worstSeverity(findings);
  return [
    ...wrap(`doctor: ${sanitiseText(foldNames(names))} · ${sanitiseText(subject)}`, width),
    ...sorted.flatMap((one) => linesOf(one, reached, width, verbose, paint)),
    ...wrap(`${counts.join(', ')}${left.length > 0 ? `; ${left.join(', ')}` : ''}`, width),
    ...wrap(verdict(findings), width).map((line) => paint(line, grave)),
    ...(verbose ? [] : ['More: collbench doctor --verbose']),
    '',
  ].join('\n');
}
