/** `disturbs`: speaks against the figure. `note`: worth knowing beside it. */
export const flagLevels = ['note', 'disturbs'] as const;
export type FlagLevel = (typeof flagLevels)[number];

/** Words that say how a cell was measured; those of the machine are in results/derive/metrics/flags.ts. */
const notes = [
  'few-launches',
  'launches-close',
  'interrupted',
  'retransmits',
  'network-busy',
  'page-migrations',
  'clock-unsure',
];

/** Whether anything speaks against the figures of a cell. */
export const isDisturbed = ({ flags }: { flags: readonly { level: FlagLevel }[] }): boolean =>
  flags.some(({ level }) => level === 'disturbs');

/** The level of a flag. Whatever is not known to be harmless disturbs. */
export const flagLevelOf = (name: string): FlagLevel => (notes.includes(name) ? 'note' : 'disturbs');
