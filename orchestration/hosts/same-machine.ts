// Detects several names of one machine. Data between them passes no network cable.

/**
 * Maps each further name of a machine to the first name of the same machine. Machines with a single name are not in the map.
 * @param shared pairs of host name and machine id; names with equal ids are one machine, "" or undefined = unknown, which equals
 * no other id
 */
export function firstNameOfMachine(
  shared: readonly (readonly [string, string | undefined])[],
): Map<string, string> {
  return new Map(
    namesOfOneMachine(shared).flatMap(([first = '', ...others]) =>
      others.map((name) => [name, first] as const),
    ),
  );
}

/**
 * Returns the names of hosts that have the same network interfaces, in lists of two or more names, in the order of `networks`.
 * Hosts without such a partner are left out.
 * @param networks pairs of host name and id of the host's network namespace; "" or undefined = unknown, which equals no other id
 */
export function namesOfOneMachine(networks: readonly (readonly [string, string | undefined])[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const [name, network = ''] of networks)
    if (network !== '') groups.set(network, [...(groups.get(network) ?? []), name]);
  return [...groups.values()].filter(({ length }) => length > 1);
}
