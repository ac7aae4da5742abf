import type { VerdictRecord } from '../judge/verdict-text.ts';
import type { GateCell, GateChange, GateGroup } from '../schema/index.ts';

type JudgedChange = Pick<GateGroup | GateCell, 'change' | 'confirmation' | 'verdict' | 'reason'>;

/** The second measurement if there is one, otherwise the first. */
export const shownChange = ({ change, confirmation }: JudgedChange): GateChange => confirmation ?? change;

/** A judged size range or single size in the form for texts. */
export function gateRecord(judged: JudgedChange): VerdictRecord {
  const { ratio, lowRatio, highRatio, observed } = shownChange(judged);
  return { ratio, low: lowRatio, high: highRatio, observed, reason: judged.reason };
}

/** True for a much slower time that is not confirmed. Faster times raise no alarm. */
export const isAlarming = ({ verdict, change }: JudgedChange): boolean =>
  verdict === 'unconfirmed' && change.ratio > 1;
