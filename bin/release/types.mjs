// Writes the types of the public API as a single file without imports: types of messages are written out in full.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API } from 'typescript/unstable/sync';
import { root } from '../current.cjs';

/** Source files of the API for programs (orchestration/in-process), in dependency order; the last exports the public names. */
const modules = ['native', 'sampler', 'in-process', 'collective', 'index'];

// Compiler flags for printing types: no truncation, one member per line, and the expanded type instead of its alias.
const noTruncation = 1;
const multiline = 1 << 10;
const inTypeAlias = 1 << 23;

const importOf = /^import (?:type )?\{([^}]*)\} from '([^']+)';\n/gm;
const aliasOf = /^type (\w+) = Extract<[\s\S]*?>;\n/gm;
const exportOf = /^export (?:type )?\{([^}]*)\} from '[^']+';\n/gm;

const namesIn = (list) =>
  list
    .split(',')
    .map((name) => name.replace('type ', '').trim())
    .filter((name) => name !== '');

const declarationsOf = (module) =>
  readFileSync(join(root, `dist/orchestration/in-process/${module}.d.ts`), 'utf8');

/** Makes the text of index.d.ts: the TypeScript types of the API that programs import from the npm package. */
export function publicTypes() {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProject: join(root, 'tsconfig.json') }).getProjects();
    const { checker } = project;
    const last = declarationsOf('index');
    const isPublic = new Set([...last.matchAll(exportOf)].flatMap(([, list]) => namesIn(list)));
    const written = new Map();

    /** Prints a type that a source file imports or derives from an imported one. */
    const writeOut = (module, name) => {
      const file = join(root, `orchestration/in-process/${module}.ts`);
      const position = readFileSync(file, 'utf8').search(new RegExp(`\\b${name}\\b`));
      const type = checker.getDeclaredTypeOfSymbol(checker.getSymbolAtPosition(file, position));
      const text = checker.typeToString(type, undefined, noTruncation | multiline | inTypeAlias);
      const known = written.get(name);
      if (known !== undefined && known !== text) throw new Error(`two types are called ${name}`);
      written.set(name, text);
    };

    const bodies = modules.map((module) => {
      const declared = declarationsOf(module);
      const rest = declared.replaceAll(importOf, '').replaceAll(aliasOf, '');
      for (const [, list, from] of declared.matchAll(importOf))
        if (!from.startsWith('./'))
          for (const name of namesIn(list))
            if (new RegExp(`\\b${name}\\b`).test(rest)) writeOut(module, name);
      for (const [, name] of declared.matchAll(aliasOf)) writeOut(module, name);
      const body = rest.replaceAll(exportOf, '').replaceAll('export {};\n', '');
      if (module === 'index') return body;
      // Declarations that the last file does not export are made local.
      return body.replaceAll(/^export (declare )?(\w+) (\w+)/gm, (text, declare = '', kind, name) =>
        isPublic.has(name) ? text : `${declare}${kind} ${name}`,
      );
    });
    const types = [...written].map(([name, text]) => `type ${name} = ${text};\n`);
    return `${types.join('')}${bodies.join('')}export {};\n`;
  } finally {
    api.close();
  }
}
