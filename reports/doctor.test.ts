import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DoctorFinding, examine } from '../results/doctor/examine.ts';
import { doctorJson } from '../results/doctor/report.ts';
import { clusterCases, content } from '../results/testing/machines/clusters.ts';
import { doctorText } from './doctor.ts';

function diagnosisOf(view = content()) {
  const found = examine(view, { transports: null, interface: null, spansHosts: true });
  return { ...found, view };
}
const finding = (parts: Partial<DoctorFinding>): DoctorFinding => ({
  id: 'net.mtu',
  title: 'MTU',
  transports: ['socket'],
  why: 'Because.',
  severity: 'warning',
  observation: '1500',
  hosts: [],
  ...parts,
});
const plain = { transports: null, verbose: false, width: 80 };

test('machines that are content: one line per finding and nothing to be done', () => {
  const text = doctorText(diagnosisOf(), plain);
  assert.match(text, /^doctor: a,b · all transports\n {2}ok +reach\.host +all 2\n/);
  assert.doesNotMatch(text, /\bfix\b/);
  assert.match(text, /\nno problems found\. Exit 0\n/);
});

test('the gravest comes last, with why and fix, and the verdict names the exit code', () => {
  for (const [id, [first]] of Object.entries(clusterCases)) {
    if (first === undefined || first.severity === 'note') continue;
    const text = doctorText(diagnosisOf(first.view), plain);
    const lines = text.split('\n').filter((line) => /^ {2}[a-z]+ +[a-z]+\./.test(line));
    const words = lines.map((line) => line.trim().split(' ')[0]);
    assert.equal(words.at(-1), first.severity, id);
    assert.match(text, /\n +why +\S/);
    assert.match(text, first.severity === 'error' ? /Exit 2\n/ : /Exit 5\n/);
  }
});

test('a finding of some hosts names them, folded; one of all does not', () => {
  const names = ['gpu01', 'gpu02', 'gpu03', 'gpu07'];
  const [like] = content().hosts;
  assert.ok(like !== undefined);
  const view = { ...content(), hosts: [...names, 'gpu08'].map((name) => ({ ...like, name })) };
  const text = (hosts: string[]) => doctorText({ findings: [finding({ hosts })], skipped: [], view }, plain);
  assert.match(text(names), /net\.mtu +gpu\[01-03\],gpu07: 1500\n/);
  assert.match(text([...names, 'gpu08']), /net\.mtu +1500\n/);
});

test('what machines say cannot drive the terminal; every line that can be broken fits', () => {
  const findings = [finding({ observation: `\u001b[2J ${'word '.repeat(80)}`, fix: '\u0007 do' })];
  const text = doctorText({ findings, skipped: [], view: content() }, plain);
  for (const control of ['\u001b', '\u0007']) assert.ok(!text.includes(control));
  for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
});

test('--verbose says what each check is about, also where all is well', () => {
  const text = doctorText(diagnosisOf(), { ...plain, verbose: true });
  assert.match(
    text,
    /ok +net\.mtu[^\n]*\n +what +MTU of the data interface \(socket, ucx, plugin\)\n +why +Frames/,
  );
});

test('JSON has what the schema says, and no more', async () => {
  const { doctorReport } = await import('../results/schema/index.ts');
  const told = doctorJson(diagnosisOf(), ['socket'], 0, '1.2.3');
  const report = doctorReport.parse(JSON.parse(JSON.stringify(told)));
  assert.equal(report.worst, 'ok');
  assert.deepEqual(
    report.hosts.map(({ name }) => name),
    ['a', 'b'],
  );
  assert.equal(report.connections.length, 2);
});
