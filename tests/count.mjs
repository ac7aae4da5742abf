// `npm run count` counts the lines of every tracked file by category and room, and lists code that is hard to read.
// Blank lines and comments count, too. Every file has one category, the first that matches.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const isCode = (file) => /\.(ts|mjs|cjs|cc|h|cu|c|def)$/.test(file);
const isTest = (file) => /\.test\.ts$|_test\.(cc|c)$/.test(file);

/** Tests for the category of a file, in this order. */
const categories = {
  third_party: (file) => file.startsWith('third_party/'),
  fixtures: (file) =>
    (/\/fixtures\//.test(file) && !file.endsWith('.ts')) ||
    /^results\/reference\/|\/generated\/|^package-lock\.json$|^suites\/library\/schema\.json$/.test(file),
  docs: (file) => /\.md$|^LICENSE/.test(file),
  tests: isTest,
  fakes: (file) => /\/fake\/(?!tests\/)|_fake\.cc$|^tests\/emulated\//.test(file),
  'test support': (file) => /^tests\/|\/(tests|testing|fixtures)\/|\/testing\.ts$/.test(file),
  production: isCode,
  'build and settings': () => true,
};

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)))
  .map((file) => {
    const text = readFileSync(path.join(root, file), 'latin1');
    const category = Object.keys(categories).find((name) => categories[name](file));
    return { file, text, category, lines: text.split('\n').length - 1 };
  });

const room = ({ file }) => {
  const parts = path.dirname(file).split('/');
  return (parts[0] === 'native' || parts[0] === 'results' ? parts.slice(0, 2) : parts.slice(0, 1)).join('/');
};
const sum = (some) => some.reduce((total, { lines }) => total + lines, 0);
const of = (category) => files.filter((one) => one.category === category);
const row = (name, some) =>
  console.log(`${name.padEnd(44)}${String(some.length).padStart(6)}${String(sum(some)).padStart(9)}`);
const head = (text) => console.log(`\n${text}`);
const list = (some) => {
  for (const one of some) console.log(`  ${one}`);
};

const by = (some, key) => {
  const parts = new Map();
  for (const one of some) parts.set(key(one), [...(parts.get(key(one)) ?? []), one]);
  return [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
};

console.log(`${'category'.padEnd(44)}${'files'.padStart(6)}${'lines'.padStart(9)}`);
for (const category of Object.keys(categories)) row(category, of(category));
row(
  'production TypeScript',
  of('production').filter(({ file }) => /\.(ts|mjs|cjs)$/.test(file)),
);
row(
  'production C++',
  of('production').filter(({ file }) => !/\.(ts|mjs|cjs)$/.test(file)),
);
row('PRODUCTION AND FAKES', [...of('production'), ...of('fakes')]);

head('production per room');
for (const [name, some] of by(of('production'), room)) row(`  ${name}`, some);
head('tests, test support and fakes per room');
for (const [name, some] of by([...of('tests'), ...of('test support'), ...of('fakes')], room))
  row(`  ${name}`, some);

/** Files that a person must read: all except fixtures and third-party code. */
const read = files.filter(({ category }) => !['third_party', 'fixtures'].includes(category));

head('folders with more than 30 files that a person must read');
list(
  by(read, ({ file }) => path.dirname(file))
    .filter(([, some]) => some.length > 30)
    .map(([name, some]) => `${name}: ${some.length}`),
);

head('files over 500 lines');
list(
  read.filter(({ file, lines }) => isCode(file) && lines > 500).map(({ file, lines }) => `${file}: ${lines}`),
);

/** Code without block comments, and with empty strings in place of line comments and strings. All line breaks stay. */
const bare = (text) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<=^|\s)\/\/[^\n]*/gm, "''");
const casts = (some) =>
  some.reduce((total, { text }) => {
    const code = bare(text).replace(/^\s*(import|export)\s+(type\s+)?[{*][^;]*;/gm, '');
    return (
      total +
      (
        code.match(
          /\bas\s+(?!const\b)(?:[A-Z{[(]|(?:string|number|boolean|bigint|unknown|never|any|object|readonly|keyof|typeof)\b)/g,
        ) ?? []
      ).length
    );
  }, 0);
const count = (some, pattern) =>
  some.reduce((total, { text }) => total + (text.match(pattern) ?? []).length, 0);

const ts = read.filter(({ file }) => file.endsWith('.ts'));
const production = ts.filter(({ category }) => category === 'production');
head('marks');
console.log(
  `  as casts, without as const: ${casts(production)} in production, ${casts(ts)} in all TypeScript`,
);
console.log(
  `  prettier-ignore: ${count(ts, /prettier-ignore/g)}; biome-ignore: ${count(ts, /biome-ignore/g)}`,
);

const code = read.filter(({ file }) => isCode(file) && file !== 'tests/count.mjs');
const lines = (some, pattern) =>
  some.flatMap(({ file, text }) =>
    text
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim().slice(0, 110)}`] : [])),
  );
const twins = lines(code, /\bTwins?\b/);
head(`"Twin:" comments: ${twins.length}`);
list(twins);

const knowing = code.filter(
  ({ file, text, category }) =>
    category === 'production' && !/(^|[/-])nccl/.test(file) && /\bnccl\b/i.test(text),
);
head(`production files outside those named nccl* that name NCCL: ${knowing.length}`);
