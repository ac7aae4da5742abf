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
 * Half the time went into what can find nothing serious: whether each mark lies in a landmark, and where what is right stands.
 * To a screen reader a drawing is one image.
 */
const run =
  "axe.run({ exclude: [['svg > *']] }, { rules: { region: { enabled: false } }, resultTypes: ['violations'] })";

/** What axe finds in a page and calls serious or critical: rule and first place each. The context needs `bypassCSP`. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const found = await page.evaluate<AxeViolation[]>(`${run}.then(({ violations }) => violations)`);
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.length} places, first ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
    );
}
