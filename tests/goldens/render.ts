import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  baselineJobs,
  type GoldenJob,
  type GoldenKind,
  goldenJobs,
  historyJobs,
  importJobs,
} from './jobs.ts';
import { CommandProcess } from './process.ts';
import { copyGoldenInputs, pinIdentity } from './work.ts';

export interface RenderCounts {
  commands: number;
  files: number;
}

/**
 * Renders all inputs whose name contains `only` into the folder `out`. @throws Error if `out` is not empty
 * @param bin `bin/collbench` of a checkout. Its compiled program is started directly, because `bin/collbench` would build
 * native code for `topo`.
 */
export async function render(bin: string, out: string, only: string): Promise<RenderCounts> {
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty`);
  const work = realpathSync(mkdtempSync(path.join(tmpdir(), 'goldens-')));
  try {
    const tree = path.dirname(path.dirname(realpathSync(bin)));
    execFileSync(process.execPath, ['bin/setup.mjs', '--ts'], { cwd: tree, stdio: 'inherit' });
    const stored = copyGoldenInputs(work);
    const renderer = new GoldenRenderer(tree, work, out);
    const wanted = (jobs: readonly GoldenJob[]) => jobs.filter(({ of }) => of.includes(only));
    const imports = importJobs(stored);
    const planned = wanted([
      ...imports,
      ...goldenJobs(
        stored,
        imports.map(({ of }) => of),
      ),
      ...historyJobs(),
    ]);
    if (planned.some(({ words }) => words.some((word) => word.startsWith('imported'))))
      await renderer.all(imports);
    const imported = imports
      .map(({ of }) => of)
      .filter((run) => existsSync(path.join(work, run, 'run.json')));
    for (const [day, run] of imported.entries()) pinIdentity(path.join(work, run), run, day);
    // The index still has the ids from before pinIdentity.
    rmSync(path.join(work, 'imported/runs.ndjson'), { force: true });
    await renderer.all(wanted(goldenJobs(stored, imported)));
    for (const one of wanted([...historyJobs(), ...baselineJobs(stored)])) await renderer.one(one);
    renderer.end();
    const all = readdirSync(out, { recursive: true, withFileTypes: true });
    return { commands: renderer.commands, files: all.filter((entry) => entry.isFile()).length };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

class GoldenRenderer {
  commands = 0;
  readonly #work: string;
  readonly #out: string;
  readonly #processes: readonly [CommandProcess, CommandProcess];

  constructor(tree: string, work: string, out: string) {
    this.#work = work;
    this.#out = out;
    this.#processes = [new CommandProcess(tree, work), new CommandProcess(tree, work)];
  }

  /** Runs all jobs, two at a time. */
  async all(jobs: readonly GoldenJob[]): Promise<void> {
    const left = [...jobs];
    const runJobs = async (process: CommandProcess) => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await this.one(next, process);
    };
    await Promise.all(this.#processes.map(runJobs));
  }

  async one(
    { of, name, kind, words, columns = 120, pages }: GoldenJob,
    process = this.#processes[0],
  ): Promise<void> {
    if (pages !== undefined) mkdirSync(path.join(this.#work, pages), { recursive: true });
    const { code, stdout, stderr } = await process.run({ words, columns });
    this.commands += 1;
    const ended = code === 0 && stderr === '' ? '' : `\nexit ${code}\n${stderr}`;
    if (kind === 'text') this.#write(kind, of, name, stdout + ended);
    else {
      this.#write(kind, of, name, stdout);
      if (ended !== '') this.#write('text', of, `${name}.ended.txt`, ended.trimStart());
    }
    if (pages !== undefined) this.#collect(of, path.join(this.#work, pages));
  }

  end(): void {
    for (const process of this.#processes) process.end();
  }

  /** Stores the pages and figures that a command wrote into `folder`. */
  #collect(of: string, folder: string): void {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const file of files.sort()) {
      const isFigure = /\.svg$|figures\/.*\.csv$/.test(file);
      if (!isFigure && !file.endsWith('.html')) continue;
      const text = readFileSync(path.join(folder, file), 'utf8');
      if (isFigure) this.#write('figures', of, file, text);
      else {
        this.#write('html-text', of, `${file}.txt`, visibleText(text));
        this.#write(
          'html-hash',
          of,
          `${file}.sha256`,
          `${createHash('sha256').update(text).digest('hex')}\n`,
        );
      }
    }
  }

  #write(kind: GoldenKind, of: string, name: string, text: string): void {
    const file = path.join(this.#out, kind, of, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, plain(text, this.#work));
  }
}

/** Replaces what differs between two renderings: the working folder, the random id of an import, the time of a `baseline set`. */
function plain(text: string, work: string): string {
  return text
    .replaceAll(work, 'WORK')
    .replace(/^run [0-9a-f]{6}: imported\//m, 'run ID: imported/')
    .replace(/"(setAt|at)":"20[^"]+Z"/g, '"$1":"AT"')
    .replace(/^(baseline .*, set )20[\d -]+:\d\d UTC/gm, '$1AT');
}

/** Visible text of a page, one line per element. Charts are left out, because they are compared as figures. */
function visibleText(html: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };
  return html
    .replace(/<(style|script|svg)\b[\s\S]*?<\/\1>/g, '')
    .replace(/<\/?(b|i|em|strong|code|span|a|sub|sup|small|abbr)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&([a-z]+|#\d+);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[\s]*/g, '\n')
    .trim()
    .concat('\n');
}
