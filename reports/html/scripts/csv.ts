type CsvValue = string | number | null | undefined;

/**
 * Returns rows as CSV (RFC 4180) with the columns of the first row: one header line, numbers in full precision, an empty field for
 * null; '' without rows. A quote is put before texts that a spreadsheet would take for a formula. The report's files and the page's
 * button "CSV" use this function.
 */
export function csvText(rows: readonly Readonly<Record<string, CsvValue>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) return '';
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((line) => `${line.map(csvField).join(',')}\n`)
    .join('');
}

function csvField(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  const text =
    typeof value === 'string' ? value.replace(/^[=+@\t\r\uff1d\uff0b\uff0d\uff20-]/, "'$&") : `${value}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
