// Explanations for commands that could not connect to containers.
import { StartError } from './launcher.ts';

interface KnownFailure {
  /** Text by which a line of the command's stderr is recognised. */
  pattern: RegExp;
  /**
   * Returns the message for the user, one line without full stop. `host` is the container that could not be reached; null = the
   * containers could not be listed.
   */
  message(host: string | null, program: string): string;
  details: readonly string[];
  next?(host: string | null, program: string): string;
}

/** Text for the user: the rights that `--launcher kubernetes` needs, in Kubernetes terms. */
const kubernetesRights =
  'The account needs in this namespace: get and list of pods, create and get of pods/exec (examples/kubernetes/rbac.yaml).';
const dockerRights =
  'The account needs access to the socket of the container engine: membership in the group docker, or an engine that runs as this user.';

/**
 * Known failures. The first whose pattern matches a line of stderr is used. The patterns are texts of kubectl, docker,
 * podman and nsenter.
 */
const knownFailures: readonly KnownFailure[] = [
  {
    pattern: /forbidden/i,
    message: (host, program) =>
      host === null
        ? `${program} may not list the containers`
        : `${program} may not start a shell in ${host}`,
    details: [kubernetesRights],
    next: () => 'kubectl auth can-i create pods/exec',
  },
  {
    pattern: /\(NotFound\)|pods? ".*" not found/,
    message: (host) => `there is no pod ${host}`,
    details: ['Name its namespace, if it is not the one of the context: --namespace NAME.'],
    next: () => 'kubectl get pods --all-namespaces',
  },
  {
    pattern: /container .* (?:not found|is not valid)/i,
    message: (host) => `the pod ${host} has no such container`,
    details: ['Name one of its containers: --container NAME.'],
    next: (host) => `kubectl get pod ${host} -o jsonpath='{.spec.containers[*].name}'`,
  },
  {
    pattern: /executable file not found|exec: "[^"]*": .*no such file/i,
    message: (host) => `the image of ${host} has no shell`,
    details: [
      'The agent is uploaded over a shell: use an image with sh, which busybox and all full images have.',
    ],
  },
  {
    pattern: /permission denied.*(?:docker|podman|container|daemon).*sock|connect to the Docker daemon/i,
    message: (_, program) => `${program} may not reach its engine, or the engine does not run`,
    details: [dockerRights],
    next: (_, program) => `${program} info`,
  },
  {
    pattern: /No such container/i,
    message: (host) => `there is no container ${host}`,
    details: [],
    next: (_, program) => `${program} ps`,
  },
  {
    pattern: /is not running|cannot exec (?:into|in) a (?:container|stopped)/i,
    message: (host) => `${host} does not run`,
    details: [],
  },
  {
    pattern: /not a TTY|allocate.*terminal|Unable to use a TTY/i,
    message: (_, program) => `${program} asks for a terminal, and the agent has none`,
    details: ['Leave out -t in the template; -i alone is needed.'],
  },
];

/**
 * Returns the error for a command that did not reach a shell on the host, or that could not list the containers (`host` is null).
 * Null if its output is not known. Nothing is thrown.
 * @param program name of the program, such as kubectl
 * @param lines last lines of its stderr
 */
export function explainCommand(
  program: string,
  host: string | null,
  lines: readonly string[],
): StartError | null {
  for (const { pattern, message, details, next } of knownFailures) {
    if (!lines.some((line) => pattern.test(line))) continue;
    return new StartError(
      message(host, program),
      [...lines.map((line) => `${program}: ${line}`), ...details],
      next?.(host, program) ?? null,
    );
  }
  return null;
}
