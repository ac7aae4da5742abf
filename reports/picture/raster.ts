import { refuse } from '../../results/refusals/refusal.ts';
import { findFonts } from './fonts.ts';
import { pictureWidth } from './svg.ts';

/**
 * Renders an SVG of pictureSvg() as PNG, 1,600 pixels wide (twice the SVG's width), also if the SVG has another width. The
 * rendering package is loaded only here, because few commands draw a picture.
 * @throws Refusal if no font or no rendering package is installed
 */
export async function rasterise(svg: string): Promise<Uint8Array> {
  const found = findFonts();
  if (found === null) throw refuse('no-fonts');
  const { Resvg } = await import('@resvg/resvg-js').catch((error: Error) => {
    throw refuse('no-renderer', { why: error.message.split('\n')[0] ?? '' });
  });
  const picture = new Resvg(svg, {
    fitTo: { mode: 'width', value: 2 * pictureWidth },
    font: {
      loadSystemFonts: false,
      fontFiles: found.files,
      defaultFontFamily: found.family,
      sansSerifFamily: found.family,
    },
  });
  return picture.render().asPng();
}
