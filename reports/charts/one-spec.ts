// Compiles the two forms of a chart, wide and narrow, into one Vega specification. A parameter chooses the form. Compiling once
// saves time.

import { isDeepStrictEqual } from 'node:util';
import { isFields, type RecordFields } from '../../results/collections.ts';
import type { ChartSpec } from './spec.ts';

/** Values of Vega signals and data sets that change the view of a chart from its wide form to its narrow form. */
interface NarrowVariant {
  signals: [name: string, value: unknown][];
  data: [name: string, rows: object[]][];
}

interface SwitchedSpec {
  /** A Vega specification that draws the wide form. It draws the narrow form after `narrowing` is applied to its view. */
  spec: object;
  narrowing: NarrowVariant;
}

/** Name of the signal that is true while the narrow form is drawn. */
const isNarrow = 'isNarrow';

/**
 * Returns a Vega expression that has the value `narrow` while the narrow form is drawn, else `wide`. If `wide` is "null", the
 * expression ends in "(null)"; Vega replaces such a value of an axis property by the property's default.
 */
const narrowExpression = (wide: string, narrow: string): string => `${isNarrow} ? (${narrow}) : (${wide})`;

/**
 * Properties in which the wide and the narrow form may differ, because Vega-Lite accepts an expression as their value. The key is
 * the name of the object that has these properties.
 */
const switchable: Record<string, readonly string[]> = {
  axis: ['values', 'labelLimit'],
  legend: ['columns'],
};

/** Values that change a view to the narrow form. `turns` is true if the narrow form turns the labels of an axis. */
type TurnedLabels = NarrowVariant & { turns: boolean };

/** Thrown if the wide and the narrow form differ in a property that an expression cannot switch. */
class UnmergeableSpec extends Error {}

/**
 * Properties of an axis whose labels are turned in the narrow form only. They are added after Vega-Lite has compiled the
 * specification, because Vega-Lite chooses other defaults for the axis if one of its properties is an expression.
 */
const turned = {
  labelAngle: { signal: `${isNarrow} ? 315 : 0` },
  labelAlign: { signal: narrowExpression('null', '"right"') },
};

/**
 * Compiles the wide and the narrow form of a chart into one Vega specification, so that one view can draw both.
 * @param compile function that compiles Vega-Lite to Vega; its errors are thrown on
 * @returns the specification of the wide form, and the values that switch its view to the narrow form. Null if the forms differ in
 * more than sizes, ticks, labels, legend columns and rows of named data
 */
export function compileBothForms(
  wide: ChartSpec,
  narrow: ChartSpec,
  compile: (spec: ChartSpec) => object,
): SwitchedSpec | null {
  const narrowing: TurnedLabels = { signals: [[isNarrow, true]], data: [], turns: false };
  try {
    const spec = mergedFields(wide as RecordFields, narrow as RecordFields, '', narrowing);
    const params = [{ name: isNarrow, value: false }];
    const compiled = compile({ ...spec, params }) as RecordFields;
    const { axes = [] } = compiled as { axes?: RecordFields[] };
    const settled = axes.map((axis) =>
      narrowing.turns && axis.labelAngle === 0 ? { ...axis, ...turned } : axis,
    );
    return { spec: { ...compiled, axes: settled }, narrowing };
  } catch (error) {
    if (error instanceof UnmergeableSpec) return null;
    throw error;
  }
}

/**
 * Merges one value of the wide specification with the value at the same place in the narrow one. Differences are added to
 * `narrowing`.
 * @param holder name of the property or list that contains both values; "" for the whole specification
 * @throws UnmergeableSpec if the values differ and cannot be switched
 */
function merged(wide: unknown, narrow: unknown, holder: string, narrowing: TurnedLabels): unknown {
  if (wide === narrow || isDeepStrictEqual(wide, narrow)) return wide;
  if (Array.isArray(wide) && Array.isArray(narrow) && wide.length === narrow.length)
    return wide.map((one, i) => merged(one, narrow[i], holder, narrowing));
  if (!isFields(wide) || !isFields(narrow)) throw new UnmergeableSpec();
  return mergedFields(wide, narrow, holder, narrowing);
}

function mergedFields(
  wide: RecordFields,
  narrow: RecordFields,
  holder: string,
  narrowing: TurnedLabels,
): RecordFields {
  const keys = new Set([...Object.keys(wide), ...Object.keys(narrow)]);
  return Object.fromEntries(
    [...keys].map((key) => {
      const [a, b] = [wide[key], narrow[key]];
      if (a === b || isDeepStrictEqual(a, b)) return [key, a];
      if (switchable[holder]?.includes(key))
        return [key, { expr: narrowExpression(JSON.stringify(a ?? null), JSON.stringify(b ?? null)) }];
      if (holder === 'axis' && key === 'labelAngle' && a === 0 && b === 315) {
        narrowing.turns = true;
        return [key, a];
      }
      if (key === 'labelExpr' && a !== undefined && b !== undefined)
        return [key, narrowExpression(String(a), String(b))];
      if (holder === '' && (key === 'width' || key === 'height') && typeof b === 'number') {
        narrowing.signals.push([key, b]);
        return [key, a];
      }
      if (
        holder === 'data' &&
        key === 'values' &&
        typeof wide.name === 'string' &&
        wide.name === narrow.name
      ) {
        narrowing.data.push([wide.name, b as object[]]);
        return [key, a];
      }
      return [key, merged(a, b, key, narrowing)];
    }),
  );
}
