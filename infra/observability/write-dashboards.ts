import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboards } from './dashboards.ts';

// Writes the dashboards. A test fails when a file differs.
const folder = join(import.meta.dirname, 'dashboards');
mkdirSync(folder, { recursive: true });
for (const [name, dashboard] of Object.entries(dashboards())) {
  writeFileSync(join(folder, name), `${JSON.stringify(dashboard, null, 2)}\n`);
}
process.stdout.write(`Wrote ${Object.keys(dashboards()).length} dashboards to infra/observability/dashboards.\n`);
