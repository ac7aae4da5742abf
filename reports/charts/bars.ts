// Bars beside one another: one per series for each name along a nominal axis, with a text behind each bar.

/**
 * Returns a view of bars, as high as they need. Its rows have the fields `field` (name along the axis), `series` and `text`.
 * @param parts `names`: series in order. `step`: height of a bar. `axis`: properties of the nominal axis. `padding`: gaps between
 * names, and between bars. `marks`: layers of the bars. `end`: encoding of a bar's end; `label`: mark properties of its text.
 */
export const barView = (parts: {
  field: string;
  names: readonly string[];
  step: number;
  axis: object;
  padding?: { names: object; bars: object };
  marks: readonly object[];
  end: object;
  label: object;
}): object => ({
  height: { step: parts.step, for: 'offset' },
  encoding: {
    y: {
      field: parts.field,
      type: 'nominal',
      sort: null,
      axis: { grid: false, ticks: false, domain: false, ...parts.axis },
      ...(parts.padding === undefined ? {} : { scale: parts.padding.names }),
    },
    yOffset: {
      field: 'series',
      type: 'nominal',
      sort: null,
      scale: { domain: parts.names, ...parts.padding?.bars },
    },
  },
  layer: [
    ...parts.marks,
    {
      mark: { type: 'text', align: 'left', aria: false, ...parts.label },
      encoding: { x: parts.end, text: { field: 'text' } },
    },
  ],
});
