// One Vega specification for both sizes of a figure. A signal chooses the size, so that equal parts are parsed only once and the
// data flow is built once.
import { isDeepStrictEqual } from 'node:util';

type JsonValue = unknown;
type JsonFields = Record<string, JsonValue>;

/** Values of Vega signals and data sets that change a view from the wide form of a figure to the narrow form. */
export interface NarrowVariant {
  signals: [name: string, value: JsonValue][];
  data: [name: string, rows: object[]][];
}

export interface SwitchedSpec {
  /** A Vega specification that draws the wide form. It draws the narrow form after `narrowing` is applied to its view. */
  spec: object;
  narrowing: NarrowVariant;
}

/** Name of the signal that is true while the narrow form is drawn. */
export const isNarrow = 'isNarrow';

const isFields = (value: JsonValue): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a Vega expression that has the value `narrow` while the narrow form is drawn, else `wide`. If `wide` is "null", the
 * expression ends in "(null)". Vega replaces this ending in axis properties by its default, which the wide form then has.
 */
export const narrowExpression = (wide: string, narrow: string): string =>
  `${isNarrow} ? (${narrow}) : (${wide})`;
const signal = (wide: JsonValue, narrow: JsonValue): object => ({
  signal: narrowExpression(JSON.stringify(wide ?? null), JSON.stringify(narrow ?? null)),
});

/** Properties of a Vega specification whose value may be a signal in any position. Keys are the properties that contain them. */
const switchable: Record<string, readonly string[]> = {
  axes: ['values', 'labelAngle', 'labelAlign', 'tickCount'],
  legends: ['columns'],
  layout: ['columns'],
};

/** Thrown if the wide and the narrow form differ in a value that cannot change within one Vega view. */
class UnswitchableSpec extends Error {}

/**
 * Merges the wide and the narrow form of a figure into one specification, so that one Vega view can draw both.
 * @param wide compiled Vega specification of the wide form
 * @param narrow compiled Vega specification of the narrow form
 * @returns null if the forms differ in more than sizes, ticks, labels, columns and data; each form must then be drawn
 * separately
 */
export function switchForms(wide: object, narrow: object): SwitchedSpec | null {
  const narrowing: NarrowVariant = { signals: [[isNarrow, true]], data: [] };
  try {
    const spec = merged(wide as JsonFields, narrow as JsonFields, '', narrowing) as JsonFields;
    const { signals = [] } = spec as { signals?: object[] };
    return { spec: { ...spec, signals: [{ name: isNarrow, value: false }, ...signals] }, narrowing };
  } catch (error) {
    if (error instanceof UnswitchableSpec) return null;
    throw error;
  }
}

/**
 * Merges one value of the wide specification with the same value of the narrow one. Differences are added to `narrowing`.
 * @param holder name of the property or list that contains both values; "" for the whole specification
 * @throws UnswitchableSpec if the values differ and cannot be switched
 */
function merged(wide: JsonValue, narrow: JsonValue, holder: string, narrowing: NarrowVariant): JsonValue {
  if (isDeepStrictEqual(wide, narrow)) return wide;
  if (Array.isArray(wide) && Array.isArray(narrow) && wide.length === narrow.length)
    return wide.map((one, i) => merged(one, narrow[i], holder, narrowing));
  if (!isFields(wide) || !isFields(narrow)) throw new UnswitchableSpec();
  // A legend lays out its entries again only if the number of columns changes.
  if (holder === 'legends' && isDeepStrictEqual(wide.columns, narrow.columns)) throw new UnswitchableSpec();
  const keys = new Set([...Object.keys(wide), ...Object.keys(narrow)]);
  return Object.fromEntries([...keys].map((key) => [key, property(wide, narrow, key, holder, narrowing)]));
}

function property(
  wide: JsonFields,
  narrow: JsonFields,
  key: string,
  holder: string,
  narrowing: NarrowVariant,
): JsonValue {
  const [a, b] = [wide[key], narrow[key]];
  if (isDeepStrictEqual(a, b)) return a;
  if (switchable[holder]?.includes(key)) return signal(a, b);
  if (typeof a === 'string' && typeof b === 'string' && (key === 'signal' || key === 'update'))
    return narrowExpression(a, b);
  const own = wide.name;
  if (holder === '' && (key === 'width' || key === 'height')) {
    narrowing.signals.push([key, b]);
    return a;
  }
  if (typeof own === 'string' && own === narrow.name) {
    if (holder === 'signals' && key === 'value') {
      narrowing.signals.push([own, b]);
      return a;
    }
    if (holder === 'data' && key === 'values') {
      narrowing.data.push([own, b as object[]]);
      return a;
    }
  }
  return merged(a, b, key, narrowing);
}
