import type { VerdictRecord } from '../judge/verdict-text.ts';
import type { GateCell, GateChange, GateGroup } from '../schema/index.ts';

type JudgedChange = Pick<GateGroup | GateCell, 'change' | 'confirmation' | 'verdict' | 'reason'>;

/** Returns the change that reports show: that of the repeated measurement if there was one, otherwise of the first. */
export const shownChange = ({ change, confirmation }: JudgedChange): GateChange => confirmation ?? change;

/** Converts a judged change to the form that functions of judge/verdict-text.ts take. */
export function gateRecord(judged: JudgedChange): VerdictRecord {
  const { ratio, lowRatio, highRatio, observed } = shownChange(judged);
  return { ratio, low: lowRatio, high: highRatio, observed, reason: judged.reason };
}

/** True if the time looks much longer but this is not certain (verdict `unconfirmed`). Shorter times do not count. */
export const isAlarming = ({ verdict, change }: JudgedChange): boolean =>
  verdict === 'unconfirmed' && change.ratio > 1;
