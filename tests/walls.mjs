// Checks the dependencies between rooms: no cycle of imports or includes among files (imports of types count), no import from
// a room that is not allowed, and no condition on the name of an engine or workload outside its rows. `node tests/walls.mjs`
// prints each breach and exits with 1 if there is one.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/**
 * Each room with the other rooms that its files may import from. A room is a folder or a single file; a file belongs to the
 * room with the longest matching name. Files without a room here (tests, docs) may import from every room.
 */
const rooms = {
  'results/schema': [],
  results: ['results/schema'],
  suites: ['results', 'results/schema'],
  reports: ['results', 'results/schema', 'suites'],
  orchestration: ['results', 'results/schema', 'suites'],
  bin: ['results', 'results/schema', 'suites', 'reports', 'orchestration'],
};

/** The table for native code is native/rooms.txt. */
for (const line of readFileSync(path.join(root, 'native/rooms.txt'), 'utf8').split('\n')) {
  const [, room, may] = /^([a-z][^:]*):(.*)/.exec(line) ?? [];
  if (room !== undefined)
    rooms[`native/${room}`] = may
      .split(' ')
      .filter(Boolean)
      .map((one) => `native/${one}`);
}

/** Known cycles that are to be removed: the sorted names of their files. An entry without such a cycle is a breach. */
const knownCircles = [];

const names = Object.keys(rooms).sort((a, b) => b.length - a.length);
const roomOf = (file) => names.find((room) => file === room || file.startsWith(`${room}/`));

/** True for test code. It may also import from tests/; otherwise the rules of its room apply. */
const isTest = (file) => /\.test\.ts$|\/testing\/|\/tests\//.test(file);

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|cc|h|cu|def)$/.test(file) && !file.startsWith('third_party/'))
  .filter((file) => existsSync(path.join(root, file)));
const known = new Set(files);

/** Files that a file imports or includes, as paths from the root; packages and system headers are left out. */
function namedBy(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  if (file.endsWith('.ts'))
    return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(([, to]) =>
      path.posix.join(path.posix.dirname(file), to),
    );
  return [...text.matchAll(/^\s*#\s*include\s+"([^"]+)"/gm)].flatMap(([, to]) =>
    [path.posix.join(path.posix.dirname(file), to), `native/${to}`]
      .filter((one) => known.has(one))
      .slice(0, 1),
  );
}

const graph = new Map(files.map((file) => [file, namedBy(file)]));

function arrows() {
  return [...graph].flatMap(([from, targets]) => {
    const room = roomOf(from);
    if (room === undefined) return [];
    return targets.flatMap((to) => {
      const other = roomOf(to);
      if (other === room || rooms[room].includes(other)) return [];
      if (to.startsWith('tests/') && isTest(from)) return [];
      return [`${from}: ${room} may not know ${to} (allowed: ${rooms[room].join(', ') || 'nothing else'})`];
    });
  });
}

/** Import cycles: strongly connected components with several files, or a file that imports itself (Tarjan 1972). */
function circles() {
  const place = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (file) => {
    place.set(file, place.size);
    low.set(file, place.get(file));
    stack.push(file);
    for (const to of graph.get(file)) {
      if (!graph.has(to)) continue;
      if (!place.has(to)) visit(to);
      if (stack.includes(to)) low.set(file, Math.min(low.get(file), low.get(to)));
    }
    if (low.get(file) !== place.get(file)) return;
    const part = stack.splice(stack.indexOf(file));
    if (part.length > 1 || graph.get(file).includes(file)) found.push(part.sort().join(' '));
  };
  for (const file of files) if (!place.has(file)) visit(file);
  return found;
}

/**
 * Files that may include from native/emulated, the software cards: loaders of transports, which open a card at run time. All
 * else must build and run without cards (COLLBENCH_EMULATED=OFF).
 */
const cardLoaders = ['native/transports/ibgda/library.cc', 'native/transports/plugin/software_card.h'];

/** Production files outside native/emulated that include from it and are no loaders, and loaders that do not. */
function cardBreaches() {
  const isOutside = (file) => !file.startsWith('native/emulated/') && !isTest(file);
  const knows = [...graph]
    .filter(([file, targets]) => isOutside(file) && targets.some((to) => to.startsWith('native/emulated/')))
    .map(([file]) => file);
  return [
    ...knows
      .filter((file) => !cardLoaders.includes(file))
      .map((file) => `${file}: includes from native/emulated; only loaders of transports do`),
    ...cardLoaders
      .filter((file) => !knows.includes(file))
      .map((file) => `${file}: includes nothing from native/emulated any more, take it off the list`),
  ];
}

/** Breaches for names in the table that are no rooms: a misspelt name would silently allow nothing. */
const unknown = Object.entries(rooms).flatMap(([room, may]) => [
  ...(existsSync(path.join(root, room)) ? [] : [`${room}: there is no such room`]),
  ...may.filter((one) => !(one in rooms)).map((one) => `${room}: may know ${one}, which is no room`),
]);

/**
 * Files that may open files directly, each with the files that it opens: those of the package or the kernel, or files to
 * write. Only results/files opens files that another user may have made: it sets limits and never waits for a pipe.
 */
const openers = {
  'bin/docs.ts': 'writes docs/',
  'bin/screens/not-run.ts': '--json-file',
  'bin/screens/run.ts': '--json-file',
  'bin/write-file.ts': 'files that options name for writing',
  'orchestration/clocks.ts': '/proc',
  'orchestration/contract/generate.ts': 'writes generated C++ files',
  'orchestration/crosscheck/nccl-tests.ts': 'writes the output that it keeps',
  'orchestration/launchers/upload/bundle.ts': 'the agent and its libraries',
  'reports/figures/fonts.ts': 'fonts of the package',
  'reports/html/page.ts': 'the script of a page',
  'reports/fixtures/snapshot.ts': 'snapshots of tests',
  'results/bundle/write.ts': 'a file that is not there yet',
  'results/package.ts': 'package.json of the package',
  'results/schema/generate.ts': 'writes the generated schemas',
};
const opening =
  /\b(?:open|readFile|writeFile|appendFile|truncate)(?:Sync)?\b|\bcreate(?:Read|Write)Stream\b|\bcp\b|\bcopyFile/;

/** Production TypeScript files that open files, found by their imports from node:fs. */
const opensFiles = new Set(
  files.filter((file) => {
    if (!file.endsWith('.ts') || isTest(file)) return false;
    if (roomOf(file) === undefined || file.startsWith('results/files/') || file.startsWith('native/'))
      return false;
    const text = readFileSync(path.join(root, file), 'utf8');
    return [...text.matchAll(/import ([^;]*?) from '(?:node:)?fs(?:\/promises)?'/g)].some(
      ([, names]) =>
        !names.startsWith('type ') &&
        (opening.test(names.replace(/type \w+/g, '')) || !names.startsWith('{')),
    );
  }),
);

/** Files that may write to a terminal. The first escapes control characters; the others print only their own texts. */
const speakers = [
  'bin/terminal.ts',
  'bin/collbench.ts',
  'orchestration/running/interrupt.ts',
  'orchestration/preparing/passphrase.ts',
];
const speaks = (file) =>
  file.endsWith('.ts') &&
  roomOf(file) !== undefined &&
  !isTest(file) &&
  !speakers.includes(file) &&
  !file.startsWith('native/') &&
  /\bprocess(?:\.std(?:out|err)|\[\w+\])\.write\(/.test(readFileSync(path.join(root, file), 'utf8'));

/**
 * True for code of browsers outside reports/html/scripts/dom, which alone is typed as such. In a string it would be neither typed
 * nor linted.
 */
const scriptsBrowser = (file) =>
  file.endsWith('.ts') &&
  roomOf(file) !== undefined &&
  !isTest(file) &&
  !file.startsWith('reports/html/scripts/dom/') &&
  /\b(?:querySelector|getBoundingClientRect|document\.createElement)/.test(
    readFileSync(path.join(root, file), 'utf8'),
  );

/** Names of engines and workloads, by the files and folders of their rows. */
const rowNames = [
  ...files.flatMap(
    (file) => /^results\/schema\/engines\/(?!index|row|foreign)(\w+)\.ts$/.exec(file)?.[1] ?? [],
  ),
  ...files.flatMap(
    (file) =>
      /^results\/schema\/workloads\/(?!index|bandwidth|common|data|identity|workload)(\w+?)(?:\/index)?\.ts$/.exec(
        file,
      )?.[1] ?? [],
  ),
];
const named = `['"](?:${rowNames.join('|')})['"]`;
/** Matches a condition on the name of an engine or workload. What depends on it belongs in a field or function of its row. */
const condition = new RegExp(`[=!]==? ${named}|\\bcase ${named}|\\[[^\\]]*${named}[^\\]]*\\]\\.includes\\(`);

/** Files that may have such conditions: rows, files and folders named by a row, and rooms that read other programs' files. */
const knowsNames = new RegExp(
  `/(?:engines|workloads)/|(?:^|[/-])(?:${rowNames.join('|')})[/.-]|^results/(?:import|record)/`,
);

/** Other lines with such conditions, by file: how many, and why. Numbers only decrease. */
const namedElsewhere = {
  'bin/commands/index.ts': [1, 'train and script are names of commands'],
  'orchestration/in-process/index.ts': [1, 'the engine that runs in the same process'],
  'reports/rows.ts': [1, 'collective is the name of a figure'],
  'results/derive/metrics/nvlink.ts': [1, 'p2p is the name of a transport'],
  'results/topology/files.ts': [1, 'matrix is a form of topology files'],
  'suites/suite/expand.ts': [2, 'collective is a key of suite files'],
  'suites/suite/part.ts': [2, 'collective and matrix are keys of suite files'],
};

/** Lines with conditions on the name of an engine or workload, by file. */
const conditions = new Map(
  files
    .filter((file) => file.endsWith('.ts') && roomOf(file) !== undefined && !isTest(file))
    .filter((file) => !knowsNames.test(file) && !file.includes('/fixtures/'))
    .map((file) => [
      file,
      readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .filter((line) => condition.test(line)).length,
    ])
    .filter(([, count]) => count > 0),
);

const found = circles();
const breaches = [
  ...unknown,
  ...arrows(),
  ...cardBreaches(),
  ...[...opensFiles]
    .filter((file) => !(file in openers))
    .map(
      (file) =>
        `${file}: opens files by itself; results/files does so with limits, and never waits for a pipe`,
    ),
  ...files
    .filter(speaks)
    .map((file) => `${file}: writes to a terminal; bin/terminal.ts does so, and escapes`),
  ...files
    .filter(scriptsBrowser)
    .map((file) => `${file}: code of browsers belongs in reports/html/scripts/dom, where it is typed`),
  ...Object.keys(openers)
    .filter((file) => !opensFiles.has(file))
    .map((file) => `${file}: opens no files any more, take it off the list`),
  ...[...conditions]
    .filter(([file, count]) => count > (namedElsewhere[file]?.[0] ?? 0))
    .map(
      ([file, count]) =>
        `${file}: ${count} conditions on the name of an engine or workload; its row decides, by a field or function`,
    ),
  ...Object.entries(namedElsewhere)
    .filter(([file, [count]]) => (conditions.get(file) ?? 0) < count)
    .map(([file]) => `${file}: fewer conditions on names of engines and workloads, lower its number`),
  ...found.filter((circle) => !knownCircles.includes(circle)).map((circle) => `circle: ${circle}`),
  ...knownCircles
    .filter((circle) => !found.includes(circle))
    .map((circle) => `no circle any more, take it off the list: ${circle}`),
];
for (const breach of breaches) console.error(breach);
console.log(
  `walls: ${files.length} files, ${breaches.length === 0 ? 'no breach' : `${breaches.length} breaches`}`,
);
process.exit(breaches.length === 0 ? 0 : 1);
