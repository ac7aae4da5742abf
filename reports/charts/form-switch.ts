// One Vega specification for both sizes of a figure. A signal chooses the size, so that equal parts are parsed only once and the
// data flow is built once.
import { isDeepStrictEqual } from 'node:util';

type JsonValue = unknown;
type JsonFields = Record<string, JsonValue>;

/** Signals and data that a view needs for the narrow form. */
export interface NarrowVariant {
  signals: [name: string, value: JsonValue][];
  data: [name: string, rows: object[]][];
}

export interface SwitchedSpec {
  /** A specification that draws the wide form until `narrowing` is applied to its view. */
  spec: object;
  narrowing: NarrowVariant;
}

/** Name of the signal that is true while the narrow form is drawn. */
export const isNarrow = 'isNarrow';

const isFields = (value: JsonValue): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a Vega expression that chooses the value of the current form. The wide value is in parentheses because Vega-Lite puts
 * its default in place of a `(null)` at the end.
 */
export const narrowExpression = (wide: string, narrow: string): string =>
  `${isNarrow} ? (${narrow}) : (${wide})`;
const signal = (wide: JsonValue, narrow: JsonValue): object => ({
  signal: narrowExpression(JSON.stringify(wide ?? null), JSON.stringify(narrow ?? null)),
});

/** Properties that may be a signal in any position, by the name of the property that holds them. */
const switchable: Record<string, readonly string[]> = {
  axes: ['values', 'labelAngle', 'labelAlign', 'tickCount'],
  legends: ['columns'],
  layout: ['columns'],
};

/** Thrown if the forms differ in a value that cannot change within a view. */
class UnswitchableSpec extends Error {}

/**
 * Merges both forms into one specification.
 * @param wide compiled wide form
 * @param narrow compiled narrow form
 * @returns null if the forms differ in more than sizes, ticks, labels, columns and data; each form then has to be drawn
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

/** Merges two values of the specification. @param holder list or property that contains both; "" for the whole */
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
