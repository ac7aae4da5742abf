/** Levels of flags. `disturbs`: the flag makes the figure doubtful. `note`: it is additional information only. */
export const flagLevels = ['note', 'disturbs'] as const;
export type FlagLevel = (typeof flagLevels)[number];

/** Names of the flags that leave a figure valid. Flags of the machine are in results/derive/metrics/flags.ts. */
const notes = [
  'few-launches',
  'launches-close',
  'interrupted',
  'retransmits',
  'network-busy',
  'page-migrations',
  'clock-unsure',
];

/** True if at least one of the cell's flags makes its figures doubtful (level `disturbs`). */
export const isDisturbed = ({ flags }: { flags: readonly { level: FlagLevel }[] }): boolean =>
  flags.some(({ level }) => level === 'disturbs');

/** Returns the level of a flag. A name that this build does not know counts as `disturbs`. */
export const flagLevelOf = (name: string): FlagLevel => (notes.includes(name) ? 'note' : 'disturbs');
