import type { VerdictRecord } from '../judge/verdict-text.ts';
import type { GateCell, GateChange, GateGroup } from '../schema/index.ts';

type JudgedChange = Pick<GateGroup | GateCell, 'change' | 'confirmation' | 'verdict' | 'reason'>;

/** Returns the change that reports show: that of the second measurement if there is one, otherwise of the first. */
export const shownChange = ({ change, confirmation }: JudgedChange): GateChange => confirmation ?? change;

/** Returns the change of a size range or single size in the form that functions for texts take. */
export function gateRecord(judged: JudgedChange): VerdictRecord {
  const { ratio, lowRatio, highRatio, observed } = shownChange(judged);
  return { ratio, low: lowRatio, high: highRatio, observed, reason: judged.reason };
}

/** True if the time looks much slower but this is not confirmed. Faster times do not count. */
export const isAlarming = ({ verdict, change }: JudgedChange): boolean =>
  verdict === 'unconfirmed' && change.ratio > 1;
