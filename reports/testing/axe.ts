import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeViolation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * Call of axe without checks that find nothing serious but take half the time. These are landmarks and passed checks. To a screen
 * reader a drawing is one image, so its parts are left out.
 */
const run =
  "axe.run({ exclude: [['svg > *']] }, { rules: { region: { enabled: false } }, resultTypes: ['violations'] })";

/**
 * Returns the violations that axe calls serious or critical: rule and first element of each. The browser context needs
 * `bypassCSP`.
 */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const found = await page.evaluate<AxeViolation[]>(`${run}.then(({ violations }) => violations)`);
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.length} places, first ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
    );
}
