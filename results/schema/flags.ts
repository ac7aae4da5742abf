/** `disturbs`: the flag makes the figure doubtful. `note`: additional information only. */
export const flagLevels = ['note', 'disturbs'] as const;
export type FlagLevel = (typeof flagLevels)[number];

/** Flags of level `note`. Flags of the machine are in results/derive/metrics/flags.ts. */
const notes = [
  'few-launches',
  'launches-close',
  'interrupted',
  'retransmits',
  'network-busy',
  'page-migrations',
  'clock-unsure',
];

/** True if at least one flag makes the figures of the cell doubtful. */
export const isDisturbed = ({ flags }: { flags: readonly { level: FlagLevel }[] }): boolean =>
  flags.some(({ level }) => level === 'disturbs');

/** The level of a flag. Unknown flags disturb. */
export const flagLevelOf = (name: string): FlagLevel => (notes.includes(name) ? 'note' : 'disturbs');
