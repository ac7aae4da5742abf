// CMAKE_UNITY_BUILD compiles several sources of a library as one. So two sources must not define the same file-local name
// (constant, type or function) in the same namespace. `node tests/joined.mjs` prints each clash and exits with 1 if there is one.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const text = (file) => readFileSync(path.join(root, file), 'utf8');

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'native'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)));
const lists = files
  .filter((file) => file.endsWith('/CMakeLists.txt'))
  .map((file) => path.posix.dirname(file));

/** The folder whose CMakeLists.txt lists a source file. */
const ownerOf = (file) =>
  lists.filter((folder) => file.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0];

/** True if the build does not join a source with others. */
function isApart(file, folder) {
  const list = text(`${folder}/CMakeLists.txt`);
  if (/UNITY_BUILD OFF/.test(list)) return true;
  const apart = [...list.matchAll(/cb_apart\(([^)]*)\)/g)].flatMap(([, names]) => names.split(/\s+/));
  const relative = path.posix.relative(folder, file);
  return (
    apart.includes(relative) ||
    (/cb_apart\(\$\{engine_entries\}/.test(list) && /^[^/]+\/engine\.cc$/.test(relative))
  );
}

/** File-local names as `NAMESPACE::name`: constants, types and functions in the anonymous namespaces of a file. */
function ownNames(file) {
  const body = /^namespace \{$(.*?)^\} {2}\/\/ namespace$/gms;
  const whole = text(file);
  return [...whole.matchAll(body)].flatMap((found) => {
    const around = namespaceAt(whole.slice(0, found.index));
    return namesIn(found[1]).map((name) => `${around}::${name}`);
  });
}

/** The named namespace that is open at the end of a text. */
function namespaceAt(before) {
  const open = [];
  for (const [, opened] of before.matchAll(/^(?:namespace ([\w:]+) \{|\} {2}\/\/ namespace \S+)$/gm)) {
    if (opened === undefined) open.pop();
    else open.push(opened);
  }
  return open.join('::');
}

/** Names of constants, types and functions whose definition begins at the start of a line. */
function namesIn(own) {
  return [
    ...own.matchAll(/^(?:static )?(?:inline )?const(?:expr)? [^()=;{]*?\b(\w+)(?:\[[^\]]*\])?(?: =|\{|;)/gm),
    ...own.matchAll(/^(?:struct|class|enum class|enum|using) (\w+)\b[^;(]*?[{=]/gm),
  ]
    .map(([, name]) => name)
    .concat(ownFunctions(own));
}

/** Each function as `name(types)`: the names of its parameters are removed. */
function ownFunctions(own) {
  const typesOf = (parameters) =>
    parameters
      .replace(/\/\*.*?\*\//gs, '')
      .split(',')
      .map((one) =>
        one
          .replace(/\s+/g, ' ')
          .trim()
          .replace(/ ?\b\w+$/, (name) => (/^\w/.test(name) ? name : ''))
          .trim(),
      )
      .join(', ');
  return [...own.matchAll(/^[A-Za-z][\w:<>,&* ]*?[ &*](\w+)\(([^()]*)\)(?: noexcept)? \{/gm)].map(
    ([, name, parameters]) => `${name}(${typesOf(parameters)})`,
  );
}

const first = new Map();
const clashes = [];
for (const file of files.filter((one) => one.endsWith('.cc') && !one.includes('/tests/'))) {
  const folder = ownerOf(file);
  if (folder === undefined || isApart(file, folder)) continue;
  for (const name of new Set(ownNames(file))) {
    const key = `${folder} ${name}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, file);
    else clashes.push(`${file}: ${name} is also a name of ${other}; give one another name, or cb_apart()`);
  }
}
for (const clash of clashes) console.error(clash);
console.log(
  `joined: ${first.size} names, ${clashes.length === 0 ? 'no clash' : `${clashes.length} clashes`}`,
);
process.exit(clashes.length === 0 ? 0 : 1);
