// The list of packages in a release (SBOM, CycloneDX), as npm writes it from package-lock.json.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { root } from '../current.cjs';

const run = (command, ...words) =>
  execFileSync(command, words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });

/** Seconds since 1970 of the commit: a release built again later has the same bytes. */
const commitTime = () => Number(process.env.SOURCE_DATE_EPOCH ?? run('git', 'log', '-1', '--format=%ct'));

/** A version 8 UUID (RFC 9562) of a text. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** @returns JSON; npm's random serial number and the time of the call are replaced by those of the commit */
export function billOfMaterials() {
  const words = [
    '--package-lock-only',
    '--omit',
    'dev',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
  ];
  const bill = JSON.parse(run('npm', 'sbom', ...words));
  bill.metadata.timestamp = new Date(1000 * commitTime()).toISOString();
  delete bill.serialNumber;
  bill.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bill))}`;
  return `${JSON.stringify(bill, null, 2)}\n`;
}
