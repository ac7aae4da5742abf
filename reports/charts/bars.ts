// Bar charts: one bar per series for each name along an axis, with a text behind each bar.

const nominal = { type: 'nominal', sort: null };

/**
 * Returns a Vega-Lite view of horizontal bars, whose height follows from their number. The caller adds the data, whose rows have
 * the fields `field` (name along the axis), `series` and `text`.
 * @param parts `names`: series in order. `step`: height of a bar in pixels. `axis`: properties of the axis with the names. `marks`:
 * layers of the bars. `end`: encoding of a bar's end; `label`: mark properties of the bar's text.
 */
export const barView = (parts: {
  field: string;
  names: readonly string[];
  step: number;
  axis: object;
  marks: readonly object[];
  end: object;
  label: object;
}): object => ({
  height: { step: parts.step, for: 'offset' },
  encoding: {
    y: {
      field: parts.field,
      ...nominal,
      axis: { grid: false, ticks: false, domain: false, ...parts.axis },
      scale: { paddingInner: 0.25, paddingOuter: 0.1 },
    },
    yOffset: { field: 'series', ...nominal, scale: { domain: parts.names, paddingInner: 0.15 } },
  },
  layer: [
    ...parts.marks,
    {
      mark: { type: 'text', align: 'left', aria: false, ...parts.label },
      encoding: { x: parts.end, text: { field: 'text' } },
    },
  ],
});
