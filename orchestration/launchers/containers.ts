// Launchers for containers: a table with, for each program, the commands that list containers and start a shell in
// one.
import { execFile } from 'node:child_process';
import { hostname } from 'node:os';
import { explainCommand } from './command-failures.ts';
import { StartError } from './launcher.ts';

/**
 * Options that select containers; null = not given. `selector`: labels. `namespace` and `container` (a container within each pod):
 * for kubernetes only.
 */
export interface ContainerSelection {
  namespace: string | null;
  selector: string | null;
  container: string | null;
}

interface ContainerRow {
  program: string;
  /** Options of `ContainerSelection` that this program supports; it ignores the others, without an error. */
  takes: readonly (keyof ContainerSelection)[];
  /** Returns the command template that starts a shell in a container; the text {host} in it stands for the container's name. */
  template(selection: ContainerSelection): string;
  /** Returns the arguments of `program`, without its name, that list the selected containers. */
  list(selection: ContainerSelection): string[];
  /**
   * Returns the names of the containers to use, from the output of the `list` command, unsorted; empty if there is none. For
   * kubernetes it rejects with a StartError if a pod is not ready, or the output is no list of pods.
   */
  names(output: string): Promise<string[]>;
  /**
   * Returns a function that maps the name of a container to the machine which runs it: for docker and podman always this machine,
   * for kubernetes the node, or undefined if `output` (of the `list` command) names none.
   */
  machineOf(output: string): Promise<(container: string) => string | undefined>;
}

const engineRow = (program: string): ContainerRow => ({
  program,
  takes: ['selector'],
  template: () => `${program} exec -i {host} sh`,
  list: ({ selector }) => [
    'ps',
    ...(selector === null ? [] : ['--filter', `label=${selector}`]),
    '--format',
    '{{.Names}}',
  ],
  names: async (output) => output.split('\n').filter((line) => line !== ''),
  machineOf: async () => () => hostname(),
});

export const containerRows = {
  kubernetes: {
    program: 'kubectl',
    takes: ['namespace', 'selector', 'container'],
    template: ({ namespace, container }) =>
      [
        'kubectl exec -i',
        ...(namespace === null ? [] : [`--namespace=${namespace}`]),
        ...(container === null ? [] : [`--container=${container}`]),
        '{host} -- sh',
      ].join(' '),
    list: ({ namespace, selector }) => [
      ...['get', 'pods', '--output=json'],
      ...(namespace === null ? [] : [`--namespace=${namespace}`]),
      ...(selector === null ? [] : [`--selector=${selector}`]),
    ],
    names: async (output) => (await import('./pods.ts')).podNames(output),
    machineOf: async (output) => {
      const nodes = (await import('./pods.ts')).podNodes(output);
      return (pod) => nodes.get(pod);
    },
  },
  docker: engineRow('docker'),
  podman: engineRow('podman'),
} satisfies Record<string, ContainerRow>;

export type ContainerKind = keyof typeof containerRows;
export const containerKinds = Object.keys(containerRows) as ContainerKind[];

export const isContainerKind = (kind: string): kind is ContainerKind => Object.hasOwn(containerRows, kind);

/** Returns the command template that starts a shell in a container, as for `--launcher command:TEMPLATE`. */
export const containerTemplate = (kind: ContainerKind, selection: ContainerSelection): string =>
  containerRows[kind].template(selection);

/**
 * Container names that are accepted: letters, digits, `.`, `_` and `-`. None of them has a special meaning in a host
 * list.
 */
const plainName = /^[A-Za-z0-9][\w.-]{0,252}$/;

/** Maximum ms that the command which lists the containers may take. */
const listMs = 30_000;

/**
 * Runs the command that lists the selected containers.
 * @returns output of the command, and the command line, joined by spaces, for messages
 * @throws StartError if the program is missing, fails, or takes longer than `listMs`
 */
async function listContainers(
  { program, list }: ContainerRow,
  selection: ContainerSelection,
): Promise<{ output: string; command: string }> {
  const words = list(selection);
  const command = [program, ...words].join(' ');
  const output = await new Promise<string>((resolve, reject) => {
    const limits = { timeout: listMs, maxBuffer: 256 * 2 ** 20 };
    execFile(program, words, limits, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      // Lines such as "E1129 19:16:51.6" are the log of kubectl, which repeats its last line.
      const lines = stderr.split('\n').filter((line) => line !== '' && !/^E\d{4} /.test(line));
      if (error.code === 'ENOENT')
        return reject(new StartError(`there is no program ${program} on this machine`));
      const why =
        error.killed === true ? `no answer within ${listMs / 1000} s` : (lines.at(-1) ?? error.message);
      reject(
        explainCommand(program, null, lines) ??
          new StartError(`${command}: ${why}`, lines.slice(0, -1), command),
      );
    });
  });
  return { output, command };
}

/**
 * Returns the names of the running containers that the options select, sorted so that pod-10 follows pod-9.
 * @param kind program that runs the containers: kubernetes, docker or podman
 * @param selection options that select containers
 * @throws StartError if the program is missing or fails, a pod does not run yet, there is no container, or a name has other
 * characters than plainName allows
 */
export async function findContainers(kind: ContainerKind, selection: ContainerSelection): Promise<string[]> {
  const row: ContainerRow = containerRows[kind];
  const { output, command } = await listContainers(row, selection);
  const found = await row.names(output);
  const unusable = found.find((name) => !plainName.test(name));
  if (unusable !== undefined) {
    const details = [
      `Searched with: ${command}`,
      'Allowed are letters, digits, dots, dashes and underscores.',
    ];
    throw new StartError(
      `${JSON.stringify(unusable.slice(0, 80))} is no name of a container`,
      details,
      command,
    );
  }
  if (found.length === 0) {
    const what = selection.selector === null ? '' : ` with ${selection.selector}`;
    throw new StartError(`no container runs here${what}`, [`Searched with: ${command}`], command);
  }
  return found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/**
 * Returns a function that maps the name of a container to the machine which runs it: for docker and podman always this machine, for
 * kubernetes the node, or undefined for an unknown pod. The containers are listed once, in this call.
 * @param kind program that runs the containers: kubernetes, docker or podman
 * @param selection options that select containers
 * @throws StartError if the program is missing, fails or takes longer than `listMs`, or its output is no list of pods
 */
export async function machinesOfContainers(
  kind: ContainerKind,
  selection: ContainerSelection,
): Promise<(container: string) => string | undefined> {
  const row: ContainerRow = containerRows[kind];
  return row.machineOf((await listContainers(row, selection)).output);
}
