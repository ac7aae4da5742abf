// Makes the SVG of charts smaller that no script of a page reads.

/**
 * Removes from an SVG the attributes that Vega repeats and nothing needs (half of the text), and rounds coordinates to two
 * decimals. Labels of single marks are removed too, because screen readers get the description of the whole chart; so are dash
 * patterns "1,0", because the PDF package rejects them.
 */
export const slimSvg = (svg: string): string =>
  svg
    .replaceAll(
      / (?:opacity="1"|pointer-events="none"|stroke-dasharray="1,0"|role="graphics-\w+"|aria-(?:label|hidden|roledescription)="[^"]*")/g,
      '',
    )
    .replaceAll(/<path class="(?:fore|back)ground"[^>]* d=""[^>]*\/>/g, '')
    .replaceAll(/ (transform|d|x2|y2)="([^"]*)"/g, (_all, name: string, value: string) => {
      const short = value.replaceAll(/\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2))));
      return ` ${name}="${short}"`;
    });

/**
 * Moves the label of each drawn mark (`path`) into the mark as a title element, which browsers show as tooltip without a script.
 */
export const withTitles = (svg: string): string =>
  svg.replaceAll(/<path aria-label="([^"]*)"([^>]*)\/>/g, '<path$2><title>$1</title></path>');
