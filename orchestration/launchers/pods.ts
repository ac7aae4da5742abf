import { z } from 'zod';
import { StartError } from './launcher.ts';

/** Fields of `kubectl get pods --output=json` that are used. */
const podList = z.object({
  items: z.array(
    z.object({
      spec: z.object({ nodeName: z.string().optional() }).optional(),
      metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }),
      status: z.object({
        phase: z.string(),
        conditions: z
          .array(z.object({ type: z.string(), status: z.string(), message: z.string().optional() }))
          .optional(),
        containerStatuses: z
          .array(
            z.object({
              name: z.string(),
              state: z
                .object({
                  waiting: z
                    .object({ reason: z.string().optional(), message: z.string().optional() })
                    .optional(),
                })
                .optional(),
            }),
          )
          .optional(),
      }),
    }),
  ),
});
type Pod = z.infer<typeof podList>['items'][number];

/**
 * Returns the reason why a pod has not started, as Kubernetes gives it: "ImagePullBackOff", with a message if there is one; "" if
 * there is none.
 */
function waitingReason({ status: { conditions = [], containerStatuses = [] } }: Pod): string {
  const [waiting] = containerStatuses.flatMap(({ state }) => state?.waiting ?? []);
  if (waiting !== undefined) return [waiting.reason, waiting.message].filter(Boolean).join(': ');
  return conditions.find(({ status, message }) => status === 'False' && message !== undefined)?.message ?? '';
}

/** Parses the output of `kubectl get pods --output=json`; an empty list is allowed. @throws StartError if it is no list of pods */
function parsePods(output: string): Pod[] {
  let list: unknown;
  try {
    list = JSON.parse(output);
  } catch {
    throw notAList(output);
  }
  const { success, data } = podList.safeParse(list);
  if (!success) throw notAList(output);
  return data.items;
}

const notAList = (output: string): StartError =>
  new StartError('kubectl get pods printed no list of pods', [
    `It printed: ${JSON.stringify(output.slice(0, 200))}`,
  ]);

/**
 * Returns the names of running pods, in the order of the output. Pods that have ended or are being deleted are left out.
 * @throws StartError if any other pod does not run yet, or the output is no list of pods
 */
export function podNames(output: string): string[] {
  const pods = parsePods(output).filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(status.phase),
  );
  const waiting = pods.filter(({ status }) => status.phase !== 'Running');
  const [first] = waiting;
  if (first !== undefined) {
    const { name } = first.metadata;
    throw new StartError(
      `${waiting.length} of ${pods.length} pods do not run yet; ${name} is ${first.status.phase}`,
      [waitingReason(first), 'Wait until they run, or name the pods to use: --hosts.'].filter(Boolean),
      `kubectl wait --for=condition=Ready pod/${name}`,
    );
  }
  return pods.map(({ metadata }) => metadata.name);
}

/**
 * Returns the name of the Kubernetes node that runs each pod, keyed by the pod's name. Pods without a node are left out.
 * @throws StartError if the output is no list of pods
 */
export const podNodes = (output: string): Map<string, string> =>
  new Map(
    parsePods(output).flatMap(({ metadata, spec }) =>
      spec?.nodeName === undefined ? [] : [[metadata.name, spec.nodeName] as const],
    ),
  );
