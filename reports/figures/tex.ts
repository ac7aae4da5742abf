// Files for LaTeX: tables for the package booktabs, captions as macros, and one file that includes all figures and tables.
import {
  filesOf,
  type MissingFigure,
  missingText,
  type PaperItem,
  type PaperTable,
  splitCaption,
} from './paper.ts';

const characters: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '%': '\\%',
  _: '\\_',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
  '<': '$<$',
  '>': '$>$',
  '±': '$\\pm$',
  '×': '$\\times$',
  '·': '$\\cdot$',
  '→': '$\\rightarrow$',
  '≤': '$\\leq$',
  '≥': '$\\geq$',
  µ: '$\\mu$',
  μ: '$\\mu$',
  α: '$\\alpha$',
  β: '$\\beta$',
  '−': '$-$',
  '–': '--',
  '—': '---',
  '’': "'",
  '‘': '`',
  '“': '``',
  '”': "''",
  '…': '\\ldots{}',
  '\u00a0': '~',
};

/**
 * Escapes text for LaTeX and keeps a number and its "%" on one line. A letter that LaTeX's default fonts lack becomes a question
 * mark.
 */
export const tex = (text: string): string =>
  [...text.replaceAll(/(\d) %/g, '$1\u00a0%')]
    .map((letter) => characters[letter] ?? (/[\x20-\x7e\u00c0-\u017f]/.test(letter) ? letter : '?'))
    .join('');

const digits = ['Zero', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];

/**
 * Returns the name of the LaTeX macro for the caption of a figure or table: "\captionBusbwAllreduce". Macro names may contain only
 * letters, so digits are spelled out.
 */
const macroOf = ({ name }: PaperItem): string =>
  `\\caption${name
    .split(/[^a-z\d]+/i)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
    .replaceAll(/\d/g, (one) => digits[Number(one)] ?? '')}`;

const captionOf = (paper: PaperItem): string => {
  const { title, rest } = splitCaption(paper);
  return tex(`${title}${rest}`);
};

export const captionsTex = (papers: readonly PaperItem[]): string =>
  `% Captions of the set: title, n, interval, medium, versions.
${papers.map((one) => `\\newcommand{${macroOf(one)}}{${captionOf(one)}}\n`).join('')}`;

/**
 * Returns a LaTeX tabular of the package booktabs; it ends with a newline. Columns with numbers are right-aligned. If the table has
 * no numbers, the text of its last column wraps.
 */
export function tableTex({ columns, cells }: PaperTable): string {
  const hasNumbers = columns.some(({ isNumber }) => isNumber === true);
  const kinds = columns.map(({ isNumber }, i) =>
    isNumber === true ? 'r' : !hasNumbers && i === columns.length - 1 ? 'p{0.72\\linewidth}' : 'l',
  );
  const line = (words: readonly string[]) => `    ${words.map(tex).join(' & ')} \\\\\n`;
  return `\\begin{tabular}{@{}${kinds.join('')}@{}}
    \\toprule
${line(columns.map(({ head }) => head))}    \\midrule
${cells.map(line).join('')}    \\bottomrule
\\end{tabular}
`;
}

const include = (paper: PaperItem): string => {
  const [file = '', ...more] = filesOf(paper);
  if (paper.kind === 'table')
    return [
      tableFloat(file, `\\caption{${macroOf(paper)}}\\label{tab:${file}}`),
      ...more.map((part) => tableFloat(part, `\\caption*{${tex(paper.title)} (continued)}`)),
    ].join('');
  return `\\begin{figure}[tp]
  \\centering
  \\includegraphics{\\figurefolder/${file}-one}
  % Over two columns: figure* and \\includegraphics{\\figurefolder/${file}-two}
  \\caption[${tex(paper.title)}]{${macroOf(paper)}}\\label{fig:${file}}
\\end{figure}
`;
};

const tableFloat = (file: string, caption: string): string => `\\begin{table*}[tp]
  \\centering\\small
  ${caption}
  \\input{\\figurefolder/${file}}
\\end{table*}
`;

export const indexTex = (papers: readonly PaperItem[], missing: readonly MissingFigure[]): string =>
  `% All figures and tables of the set. In the preamble: \\usepackage{graphicx,booktabs,caption}
% From another folder: \\newcommand{\\figurefolder}{figures-thesis} before \\input{figures-thesis/figures}
\\providecommand{\\figurefolder}{.}
\\input{\\figurefolder/captions}

${papers.map(include).join('\n')}${missing.map((one) => `\n% ${missingText(one)}\n%   ${one.run}\n`).join('')}`;
