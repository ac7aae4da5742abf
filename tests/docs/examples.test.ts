// test: up to 60 s
// The files of examples/: they run, or are checked against what they name.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { suiteToOpenMetrics } from '../../results/export/open-metrics.ts';
import type { RunRecord, SuiteRecord } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { drainText } from '../../results/verdicts/drain.ts';
import { pollUntil } from '../cluster/command.ts';
import { openSlurm, slurm, type TestSlurm } from '../cluster/slurm.ts';
import { command, root, skipUnless, withFolder } from '../e2e/harness.ts';

const examples = path.join(root, 'examples');
const textOf = (file: string): string => readFileSync(path.join(examples, file), 'utf8');
const run = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: 'utf8' });
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [],
  );

test('every example has a place in the guide', () => {
  const guide = filesBelow(path.join(root, 'docs/guide'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) assert.ok(guide.includes(`examples/${name}`), name);
});

test('scripts are those of a shell', () => {
  for (const [shell, file] of [
    ['sh', 'prometheus/collbench-metrics'],
    ['bash', 'slurm/collbench.sbatch'],
    ['sh', 'slurm/collbench-health'],
  ] as const) {
    const { status, stderr } = run(shell, '-n', path.join(examples, file));
    assert.equal(status, 0, stderr);
  }
});

describe('Dockerfile', () => {
  const lines = textOf('docker/Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /^([A-Z]+) +(.*)$/.exec(line)?.slice(1) as [string, string]);
  const all = (instruction: string) => lines.flatMap(([word, rest]) => (word === instruction ? [rest] : []));

  test('its instructions exist, its images are pinned to a version, and stages are named before they are used', () => {
    const known = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'ENTRYPOINT', 'CMD'];
    const stages = new Set<string>();
    for (const [word, rest] of lines) {
      assert.ok(known.includes(word), word);
      const [, image = '', stage] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      if (word === 'FROM') {
        assert.match(image, /:v?\d|^scratch$/);
        if (stage !== undefined) stages.add(stage);
      }
      const [, from] = /^--from=(\S+)/.exec(rest) ?? [];
      if (word === 'COPY' && from !== undefined) assert.ok(stages.has(from), from);
    }
  });

  test('what it copies is what a release has, and it runs the command of the package as a user without rights', () => {
    const releasing = readFileSync(path.join(root, 'docs/releasing.md'), 'utf8');
    assert.match(all('COPY')[0] ?? '', /^collbench-\*\.tgz /);
    assert.match(releasing, /`collbench-VERSION\.tgz`[\s\S]*`collbench-linux-x64-VERSION\.tgz`/);
    assert.match(all('USER').at(-1) ?? '', /^[1-9]\d*:[1-9]\d*$/);
    const { bin } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    assert.deepEqual(JSON.parse(all('ENTRYPOINT')[0] ?? ''), Object.keys(bin));
    assert.match(all('ENV')[0] ?? '', /^PATH=\/opt\/collbench\/bin:/);
  });

  test('its commands are those of the shell, and npm knows their options', () => {
    for (const line of all('RUN')) {
      assert.equal(run('sh', '-n', '-c', line).status, 0, line);
      for (const part of line.split('&&'))
        assert.equal(run('sh', '-c', `command -v ${part.trim().split(' ')[0]}`).status, 0, part);
    }
    const install = all('RUN')[0] ?? '';
    const help = run('npm', 'install', '--help').stdout;
    for (const [option] of install.matchAll(/--(?:omit|global|no-audit|no-fund)/g))
      assert.ok(help.includes(option.replace('--no-', '')), option);
  });
});

// Fields of the Kubernetes API that the manifests use, by its reference; other fields are misspelt or in the wrong place.
const strict = z.strictObject;
const names = z.record(z.string(), z.string());
const quantity = z.union([z.number().int().positive(), z.string().regex(/^\d+(Ki|Mi|Gi|m)?$/)]);
const container = strict({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()),
  args: z.array(z.string()).optional(),
  securityContext: strict({
    runAsNonRoot: z.literal(true).optional(),
    allowPrivilegeEscalation: z.literal(false),
    capabilities: strict({
      drop: z.tuple([z.literal('ALL')]),
      add: z.array(z.literal('IPC_LOCK')).optional(),
    }),
  }),
  resources: strict({ limits: z.record(z.string(), quantity) }).optional(),
  volumeMounts: z.array(strict({ name: z.string(), mountPath: z.string().startsWith('/') })).default([]),
});
const podSpec = strict({
  // Pods of a DaemonSet are always restarted.
  restartPolicy: z.literal('Never').optional(),
  tolerations: z.array(strict({ key: z.string(), operator: z.literal('Exists') })).optional(),
  serviceAccountName: z.string().optional(),
  automountServiceAccountToken: z.literal(false).optional(),
  terminationGracePeriodSeconds: z.number().int().optional(),
  affinity: strict({
    podAntiAffinity: strict({
      requiredDuringSchedulingIgnoredDuringExecution: z.array(
        strict({ topologyKey: z.string(), labelSelector: strict({ matchLabels: names }) }),
      ),
    }),
  }).optional(),
  containers: z.tuple([container]),
  volumes: z
    .array(
      strict({
        name: z.string(),
        emptyDir: strict({ medium: z.literal('Memory').optional(), sizeLimit: quantity.optional() }),
      }),
    )
    .default([]),
});
const jobSpec = strict({
  completions: z.number().int().optional(),
  parallelism: z.number().int().optional(),
  completionMode: z.literal('Indexed').optional(),
  backoffLimit: z.number().int(),
  activeDeadlineSeconds: z.number().int(),
  template: strict({ metadata: strict({ labels: names }), spec: podSpec }),
});
const metadata = strict({ name: z.string() });
const manifest = z.discriminatedUnion('kind', [
  strict({ apiVersion: z.literal('v1'), kind: z.literal('ServiceAccount'), metadata }),
  strict({
    apiVersion: z.literal('rbac.authorization.k8s.io/v1'),
    kind: z.enum(['Role', 'ClusterRole']),
    metadata,
    rules: z.array(
      strict({
        apiGroups: z.array(z.string()),
        resources: z.array(z.string()),
        verbs: z.array(z.enum(['get', 'list', 'watch', 'create', 'patch', 'delete'])),
      }),
    ),
  }),
  strict({
    apiVersion: z.literal('rbac.authorization.k8s.io/v1'),
    kind: z.enum(['RoleBinding', 'ClusterRoleBinding']),
    metadata,
    roleRef: strict({ apiGroup: z.string(), kind: z.string(), name: z.string() }),
    subjects: z.array(strict({ kind: z.string(), name: z.string(), namespace: z.string().optional() })),
  }),
  strict({ apiVersion: z.literal('batch/v1'), kind: z.literal('Job'), metadata, spec: jobSpec }),
  strict({
    apiVersion: z.literal('batch/v1'),
    kind: z.literal('CronJob'),
    metadata,
    spec: strict({
      schedule: z.string().regex(/^\d+ \S+ \S+ \S+ \S+$/),
      concurrencyPolicy: z.literal('Forbid'),
      jobTemplate: strict({ spec: jobSpec }),
    }),
  }),
  strict({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('DaemonSet'),
    metadata,
    spec: strict({
      selector: strict({ matchLabels: names }),
      template: strict({ metadata: strict({ labels: names }), spec: podSpec }),
    }),
  }),
  strict({
    apiVersion: z.literal('jobset.x-k8s.io/v1alpha2'),
    kind: z.literal('JobSet'),
    metadata,
    spec: strict({
      successPolicy: strict({ operator: z.enum(['All', 'Any']), targetReplicatedJobs: z.array(z.string()) }),
      failurePolicy: strict({ maxRestarts: z.number().int() }),
      replicatedJobs: z.array(
        strict({ name: z.string(), replicas: z.number().int(), template: strict({ spec: jobSpec }) }),
      ),
    }),
  }),
]);
type Manifest = z.infer<typeof manifest>;
const manifestsIn = (file: string): Manifest[] =>
  parseAllDocuments(textOf(`kubernetes/${file}`)).map((document) => manifest.parse(document.toJS()));
const jobsIn = (file: string) =>
  manifestsIn(file).flatMap((one) =>
    one.kind === 'Job'
      ? [one.spec]
      : one.kind === 'JobSet'
        ? one.spec.replicatedJobs.map(({ template }) => template.spec)
        : [],
  );

describe('Kubernetes manifests', () => {
  test('rights: pods are found and entered, nothing else, for the account that the jobs use', () => {
    const parts = Object.fromEntries(manifestsIn('rbac.yaml').map((one) => [one.kind, one]));
    const { Role, RoleBinding, ServiceAccount } = parts;
    assert.ok(Role?.kind === 'Role' && RoleBinding?.kind === 'RoleBinding' && ServiceAccount !== undefined);
    assert.deepEqual(
      Role.rules.map(({ apiGroups, resources, verbs }) => [apiGroups, resources, verbs]),
      [
        [[''], ['pods'], ['get', 'list']],
        [[''], ['pods/exec'], ['create', 'get']],
      ],
    );
    assert.deepEqual(RoleBinding.roleRef.name, Role.metadata.name);
    assert.deepEqual(RoleBinding.subjects, [{ kind: 'ServiceAccount', name: ServiceAccount.metadata.name }]);
    for (const file of ['job.yaml', 'jobset.yaml'])
      for (const { template } of jobsIn(file)) {
        const { serviceAccountName, automountServiceAccountToken } = template.spec;
        if (serviceAccountName === undefined) assert.equal(automountServiceAccountToken, false);
        else assert.equal(serviceAccountName, ServiceAccount.metadata.name);
      }
  });

  for (const file of ['job.yaml', 'jobset.yaml'])
    test(`${file}: volumes and labels fit together, and the command is one of collbench`, () => {
      const [workers, launcher] = jobsIn(file);
      assert.ok(workers !== undefined && launcher !== undefined);
      for (const { template } of [workers, launcher]) {
        const { containers, volumes } = template.spec;
        assert.deepEqual(
          containers[0].volumeMounts.map(({ name }) => name),
          volumes.map(({ name }) => name),
        );
      }
      const [label = '', value = ''] = Object.entries(workers.template.metadata.labels)[0] ?? [];
      const script = launcher.template.spec.containers[0].args?.[0] ?? '';
      assert.equal(run('sh', '-n', '-c', script).status, 0);
      assert.ok(script.includes(`--selector=${label}=${value}`));
      assert.ok(script.includes(`-eq ${workers.completions} ]`));
      const words = /exec collbench (.*)/.exec(script)?.[1]?.split(' ') ?? [];
      // Without a cluster the command is refused, because there is no kubectl or no answer; a misspelt option would end with 1.
      const { status, stderr } = spawnSync(command, [...words, '--plan-only'], {
        encoding: 'utf8',
        env: {
          ...process.env,
          PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
          KUBECONFIG: '/dev/null',
        },
      });
      assert.equal(status, 2, stderr);
      assert.match(stderr, /kubectl/);
    });

  test('drain.yaml: a node with an error gets a taint, which the pods that check it tolerate, and nothing else may be changed', () => {
    const parts = Object.fromEntries(manifestsIn('drain.yaml').map((one) => [one.kind, one]));
    const { DaemonSet: checks, CronJob: job, ClusterRole: role, ClusterRoleBinding: binding } = parts;
    assert.ok(checks?.kind === 'DaemonSet' && job?.kind === 'CronJob');
    assert.ok(role?.kind === 'ClusterRole' && binding?.kind === 'ClusterRoleBinding');
    assert.deepEqual(role.rules, [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'patch'] }]);
    assert.equal(binding.roleRef.name, role.metadata.name);
    const { spec } = job.spec.jobTemplate.spec.template;
    assert.equal(spec.serviceAccountName, binding.subjects[0]?.name);
    assert.deepEqual(checks.spec.selector.matchLabels, checks.spec.template.metadata.labels);
    const fails = { nodes: ['a'], failing: [{ node: 'a', reason: 'x' }], unknown: [] };
    const taint = /(collbench\/\w+)=/.exec(drainText('doctor', fails, 'kubernetes'))?.[1];
    assert.equal(checks.spec.template.spec.tolerations?.[0]?.key, taint);
    const script = spec.containers[0].args?.[0] ?? '';
    const [label = '', value = ''] = Object.entries(checks.spec.template.metadata.labels)[0] ?? [];
    assert.ok(script.includes(`--selector ${label}=${value} `));
    // Without a cluster there are no pods; a misspelt option would end with 1.
    const line = /collbench (doctor .*)/.exec(script)?.[1] ?? '';
    const ended = spawnSync('sh', ['-c', `drain=/dev/null; exec "$0" ${line}`, command], {
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
        KUBECONFIG: '/dev/null',
      },
    });
    assert.equal(ended.status, 2, ended.stderr);
    assert.match(ended.stderr, /kubectl/);
  });

  test('the JobSet ends with its launcher', () => {
    const [set] = manifestsIn('jobset.yaml');
    assert.ok(set?.kind === 'JobSet');
    const jobs = set.spec.replicatedJobs.map(({ name }) => name);
    for (const name of set.spec.successPolicy.targetReplicatedJobs) assert.ok(jobs.includes(name), name);
  });
});

test('the dashboard asks only for metrics and labels that are exported', async () => {
  const { record, cells } = await openRun(path.join(root, 'results/reference/nccl-2-h200'));
  const suite = { id: 'x', name: 'nightly', state: 'complete', endedAt: record.endedAt, exitCode: 0 };
  const text = suiteToOpenMetrics(suite as SuiteRecord, new Map([['small', { cells }]]));
  const labels = new Map<string, Set<string>>();
  for (const [, name = '', inside = ''] of text.matchAll(/^(collbench_\w+)\{(.*)\} /gm))
    labels.set(name, new Set([...inside.matchAll(/(\w+)="/g)].map(([, label = '']) => label)));
  const dashboard = JSON.parse(textOf('grafana/collbench.json'));
  const queries: { expr: string; legendFormat: string }[] = [
    ...dashboard.panels.flatMap(({ targets }: { targets: [] }) => targets),
    ...dashboard.templating.list.flatMap(({ query }: { query: { query?: string } }) =>
      query.query === undefined ? [] : [{ expr: query.query, legendFormat: '' }],
    ),
  ];
  assert.ok(queries.length > 8);
  for (const { expr, legendFormat } of queries) {
    const asked = [...expr.matchAll(/(collbench_\w+)(?:\{([^}]*)\})?(?:, (\w+)\))?/g)];
    assert.ok(asked.length > 0, expr);
    for (const [, name = '', inside = '', listed] of asked) {
      const known = labels.get(name);
      assert.ok(known !== undefined, `${name} in ${expr}`);
      const used = [
        ...[...inside.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label),
        ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
        ...(listed === undefined ? [] : [listed]),
      ];
      for (const label of used) assert.ok(known.has(label), `${label} of ${name} in ${expr}`);
    }
  }
});

test(
  'the timer of Prometheus is what systemd understands',
  {
    skip: skipUnless(run('systemd-analyze', '--version').status === 0, 'systemd-analyze is not there'),
  },
  () =>
    withFolder(async (folder) => {
      for (const name of ['collbench-metrics.service', 'collbench-metrics.timer']) {
        const text = textOf(`prometheus/${name}`).replaceAll(/\/usr\/local\/bin\/\S+/g, '/bin/true');
        await writeFile(path.join(folder, name), text);
      }
      const files = ['service', 'timer'].map((kind) => path.join(folder, `collbench-metrics.${kind}`));
      const { status, stdout, stderr } = run('systemd-analyze', 'verify', '--man=no', ...files);
      const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(folder));
      assert.deepEqual([status, about], [0, []], stderr);
    }),
);

test('the recipe of Spack is Python, and asks for the Node that the command needs', {
  skip: skipUnless(run('python3', '--version').status === 0, 'python3 is not there'),
}, () => {
  const file = path.join(examples, 'spack/package.py');
  const check =
    'import ast,sys\nt=ast.parse(open(sys.argv[1]).read())\nc=[n for n in t.body if isinstance(n,ast.ClassDef)]\nprint(c[0].name,c[0].bases[0].id,[f.name for f in c[0].body if isinstance(f,ast.FunctionDef)])';
  const { status, stdout, stderr } = run('python3', '-c', check, file);
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trim(), "Collbench Package ['install']");
  const { version, engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const text = textOf('spack/package.py');
  assert.ok(text.includes(`version("${version}"`) && text.includes(`collbench-${version}.tgz`));
  assert.ok(text.includes(`node-js@${engines.node.replace('>=', '')}:`));
});

describe('the sbatch script', { skip: slurm() }, () => {
  let cluster: TestSlurm;
  before(async () => {
    cluster = await openSlurm({ nodes: 2 });
  });
  after(() => cluster?.close());

  test('measures on the nodes of its job', () =>
    withFolder(async (folder) => {
      const bin = path.join(folder, 'bin');
      await mkdir(bin);
      await symlink(command, path.join(bin, 'collbench'));
      const ended = await cluster.run('env', [
        ...[`PATH=${bin}:${process.env.PATH}`, 'sbatch', '--wait', `--chdir=${folder}`],
        ...[path.join(examples, 'slurm/collbench.sbatch'), 'allreduce', '--sizes', '8,64K'],
        ...['--launches', '1', '--iters', '3', '--transport', 'socket'],
      ]);
      const log = readdirSync(folder).find((name) => /^collbench-\d+\.log$/.test(name));
      const text = log === undefined ? '' : await readFile(path.join(folder, log), 'utf8');
      assert.equal(ended.code, 0, ended.stderr + text);
      const out = path.join(folder, (log ?? '').replace('.log', ''));
      assert.ok(existsSync(out), text);
      const record = JSON.parse(await readFile(path.join(out, 'run.json'), 'utf8')) as RunRecord;
      assert.deepEqual(Object.keys(record.inventory), ['slurm1', 'slurm2']);
      assert.equal(record.summary?.wrongElements, 0);
    }));
});

test(
  'the health check of Slurm drains the node on which it runs, with what it found',
  { skip: slurm() },
  () =>
    withFolder(async (folder) => {
      const program = path.join(folder, 'collbench-health');
      const native = process.env.COLLBENCH_NATIVE_DIR;
      const built = native === undefined ? '' : `COLLBENCH_NATIVE_DIR=${native} `;
      const text = textOf('slurm/collbench-health').replace('eth0', 'absent0');
      const settings = text.match(/(?<=^# {3})HealthCheck(Interval|NodeState)=.*/gm) ?? [];
      assert.equal(settings.length, 2);
      await symlink(command, path.join(folder, 'collbench'));
      // slurmd does not start a program that others may exchange.
      await chmod(folder, 0o755);
      const cluster = await openSlurm({
        nodes: 1,
        settings: (file) => {
          const found = `${built}SLURM_CONF=${file} PATH=${folder}:${path.dirname(process.execPath)}:`;
          writeFileSync(program, text.replace('PATH=', found), { mode: 0o755 });
          return [`HealthCheckProgram=${program}`, ...settings];
        },
      });
      try {
        let shown = '';
        await pollUntil(
          'the node is drained',
          async () => {
            shown = (await cluster.run('scontrol', ['show', 'node', 'slurm1'])).stdout;
            return /State=\S*DRAIN/.test(shown);
          },
          60_000,
        );
        assert.match(shown, /Reason=collbench doctor: .*absent0/);
      } finally {
        await cluster.close();
      }
    }),
);
