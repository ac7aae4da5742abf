// One Vega specification for both sizes of a figure: a signal says which of them is drawn, so that what is alike is parsed and
// its data flow is built once.
import { isDeepStrictEqual } from 'node:util';

type JsonValue = unknown;
type JsonFields = Record<string, JsonValue>;

/** Signals and data of a view that have other values in the narrow form. */
export interface NarrowVariant {
  signals: [name: string, value: JsonValue][];
  data: [name: string, rows: object[]][];
}

export interface SwitchedSpec {
  /** Draws the wide form until `narrowing` is applied to its view. */
  spec: object;
  narrowing: NarrowVariant;
}

/** Is true where the narrow form is drawn. */
export const isNarrow = 'isNarrow';

const isFields = (value: JsonValue): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A default of Vega comes in place of `(null)` at the end: so it writes its own expressions. */
export const narrowExpression = (wide: string, narrow: string): string =>
  `${isNarrow} ? (${narrow}) : (${wide})`;
const signal = (wide: JsonValue, narrow: JsonValue): object => ({
  signal: narrowExpression(JSON.stringify(wide ?? null), JSON.stringify(narrow ?? null)),
});

/** Properties that may be a signal wherever they stand, by what holds them. */
const switchable: Record<string, readonly string[]> = {
  axes: ['values', 'labelAngle', 'labelAlign', 'tickCount'],
  legends: ['columns'],
  layout: ['columns'],
};

/** What the forms differ in is no value that can change in a view. */
class UnswitchableSpec extends Error {}

/**
 * @param wide as Vega-Lite compiles the wide form, `narrow` the narrow one
 * @returns null where they differ in more than sizes, ticks, labels, columns and data: then each has to be drawn by itself
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

/** @param holder the list or property that holds both; "" for the whole */
function merged(wide: JsonValue, narrow: JsonValue, holder: string, narrowing: NarrowVariant): JsonValue {
  if (isDeepStrictEqual(wide, narrow)) return wide;
  if (Array.isArray(wide) && Array.isArray(narrow) && wide.length === narrow.length)
    return wide.map((one, i) => merged(one, narrow[i], holder, narrowing));
  if (!isFields(wide) || !isFields(narrow)) throw new UnswitchableSpec();
  // Entries take their new room only when they get other columns.
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
