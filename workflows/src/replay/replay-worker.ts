import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

// Replays histories on the worker of a checkout: `node replay-worker.ts CHECKOUT HISTORY…`. The SDK comes from that
// checkout too, because a newer SDK may also write what an older one cannot replay.

const [checkout = '', ...files] = process.argv.slice(2);
const { Worker, Runtime, DefaultLogger, bundleWorkflowCode } = createRequire(join(checkout, 'workflows/package.json'))(
  '@temporalio/worker',
) as typeof import('@temporalio/worker');

const logger = new DefaultLogger('ERROR');
Runtime.install({ logger });
const workflowBundle = await bundleWorkflowCode({
  workflowsPath: join(checkout, 'workflows/src/workflows.ts'),
  logger,
});

let rejected = 0;
for (const file of files) {
  try {
    await Worker.runReplayHistory({ workflowBundle }, JSON.parse(readFileSync(file, 'utf8')), basename(file));
  } catch (error) {
    rejected += 1;
    console.log(`  rejected ${basename(file, '.json')}: ${String(error).split('\n')[0]}`);
  }
}
console.log(`${files.length - rejected} replayed, ${rejected} rejected`);
process.exitCode = rejected > 0 || files.length === 0 ? 1 : 0;
