/** Levels of flags (remarks on a measurement). `disturbs`: its values are doubtful. `note`: they are valid. */
export const flagLevels = ['note', 'disturbs'] as const;
export type FlagLevel = (typeof flagLevels)[number];

/** Names of the flags that are only notes: the measured values stay valid. All others make them doubtful. */
const notes = [
  'few-launches',
  'launches-close',
  'interrupted',
  'retransmits',
  'network-busy',
  'page-migrations',
  'clock-unsure',
];

/** True if at least one flag makes the measurement doubtful (level `disturbs`). */
export const isDisturbed = ({ flags }: { flags: readonly { level: FlagLevel }[] }): boolean =>
  flags.some(({ level }) => level === 'disturbs');

/** Returns the usual level of a flag; a name that this version does not know counts as `disturbs`. */
export const flagLevelOf = (name: string): FlagLevel => (notes.includes(name) ? 'note' : 'disturbs');
