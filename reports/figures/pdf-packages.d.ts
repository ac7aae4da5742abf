// Types for those parts of two packages without own types that collbench uses.
declare module 'pdfkit' {
  import type { Readable } from 'node:stream';

  interface Options {
    size: [number, number];
    margin: number;
    font: null;
    info: Record<string, string | Date>;
    lang?: string;
    displayTitle?: boolean;
  }
  class PDFDocument extends Readable {
    constructor(options: Options);
    registerFont(name: string, file: string): this;
    font(name: string): this;
    fontSize(size: number): this;
    widthOfString(text: string): number;
    end(): void;
  }
  export default PDFDocument;
}

declare module 'svg-to-pdfkit' {
  import type PDFDocument from 'pdfkit';

  function svgToPdf(
    document: PDFDocument,
    svg: string,
    x: number,
    y: number,
    options: {
      width: number;
      height: number;
      assumePt: boolean;
      fontCallback(family: string, isBold: boolean): string;
      warningCallback(warning: string): void;
    },
  ): void;
  export default svgToPdf;
}
