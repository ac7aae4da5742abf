// Refusal messages about sites made from the history, and about packages that draw charts as pictures.
import { installCommand } from '../../package.ts';
import { cannotRunHere } from '../wording.ts';

/** Names of the options that the suggested command takes over from the refused one, when it writes the site into another folder. */
const siteOptions = ['runs', 'by', 'nights', 'title', 'url', 'report-url'];

export const siteTexts = {
  'no-runs-for-site': cannotRunHere(({ roots }: { roots: readonly string[] }) => ({
    message: `site: there are no runs in ${roots.join(', ')}`,
    details: ['allowed: folders that hold runs, as in: collbench site public --runs collbench-runs'],
    next: 'collbench allreduce --max 1M',
  })),
  'site-of-others': cannotRunHere(({ dir }: { dir: string }) => ({
    message: `site: ${dir} has an index.html that collbench did not write`,
    details: ['allowed: an empty folder, a new one, or one that collbench site wrote'],
    next: { words: ['site', `${dir}/collbench`], keep: siteOptions },
  })),
  'site-unwritable': cannotRunHere(({ dir, why }: { dir: string; why: string }) => ({
    message: `site: ${dir} cannot be written: ${why}`,
    next: { words: ['site', 'public'], keep: siteOptions },
  })),
  'no-picture': cannotRunHere(({ command }: { command: string }) => ({
    message: '--png: there is nothing to draw: no configuration was measured over an axis',
    next: `collbench ${command}`,
  })),
  'no-fonts': cannotRunHere(() => ({
    message: '--png needs a sans-serif font and found none',
    details: [
      'allowed: Liberation Sans, DejaVu Sans, Noto Sans, Open Sans, Roboto, Ubuntu, Cantarell or Arial in /usr/share/fonts or ~/.fonts',
    ],
    next: { shell: 'apt-get install fonts-dejavu-core' },
  })),
  'no-pdf-writer': cannotRunHere(({ why }: { why: string }) => ({
    message: `--figures: the packages pdfkit and svg-to-pdfkit cannot be loaded: ${why}`,
    details: ['they are not installed with collbench, because most users need no PDF'],
    next: { shell: installCommand('pdfkit', 'svg-to-pdfkit') },
  })),
  'no-renderer': cannotRunHere(({ why }: { why: string }) => ({
    message: `--png: the package @resvg/resvg-js cannot be loaded: ${why}`,
    details: ['it is not installed with collbench, because most users need no PNG'],
    next: { shell: installCommand('@resvg/resvg-js') },
  })),
};
