type Field = string | number | boolean | null | undefined;

/** What a spreadsheet would take for a formula begins with one of them, in full width too. */
const formula = /^[=+\-@\t\r＝＋－＠]/;
const quoted = /["\n\r,]/;

function fieldOf(value: Field): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of CSV (RFC 4180, but for line feeds alone), numbers in full precision. Text that a spreadsheet would take for a formula is escaped. */
export const csvLines = (rows: readonly (readonly Field[])[]): string =>
  rows.map((row) => `${row.map(fieldOf).join(',')}\n`).join('');
