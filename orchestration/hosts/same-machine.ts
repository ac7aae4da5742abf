// Detects several names of one machine: no network cable is between them.

/**
 * Maps each further name of a machine to the machine's first name.
 * @param shared pairs of host name and an id that is equal for names of one machine; "" or undefined = unknown, which equals no
 * other
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
 * Names of hosts that have the same network interfaces, in groups of two or more names.
 * @param networks pairs of name and id of its network; "" or undefined = unknown, which equals no other
 */
export function namesOfOneMachine(networks: readonly (readonly [string, string | undefined])[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const [name, network = ''] of networks)
    if (network !== '') groups.set(network, [...(groups.get(network) ?? []), name]);
  return [...groups.values()].filter(({ length }) => length > 1);
}
