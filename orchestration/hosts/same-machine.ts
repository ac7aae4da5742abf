// Several names of one machine: what lies between them is no cable.

/** Of names that share something the first one, by each later name. @param shared as `networks` below */
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
 * @param networks by name; "" or absent = not known, which is like no other
 */
export function namesOfOneMachine(networks: readonly (readonly [string, string | undefined])[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const [name, network = ''] of networks)
    if (network !== '') groups.set(network, [...(groups.get(network) ?? []), name]);
  return [...groups.values()].filter(({ length }) => length > 1);
}
