// Detects several names of one machine: no network cable is between them.

/** Maps each later name of a machine to its first name. @param shared id per name, as `networks` below */
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
 * Names that share their network interfaces, in groups of two or more.
 * @param networks id of the network per name; "" or absent = unknown, which equals no other
 */
export function namesOfOneMachine(networks: readonly (readonly [string, string | undefined])[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const [name, network = ''] of networks)
    if (network !== '') groups.set(network, [...(groups.get(network) ?? []), name]);
  return [...groups.values()].filter(({ length }) => length > 1);
}
