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

// A worker that does not know a workflow never gets its tasks: the workers are rolled out first.
const known = readFileSync(join(checkout, 'workflows/src/workflows.ts'), 'utf8');

let [replayed, rejected] = [0, 0];
for (const file of files) {
  const history = JSON.parse(readFileSync(file, 'utf8'));
  const { name } = history.events[0].workflowExecutionStartedEventAttributes.workflowType;
  if (!known.includes(`{ ${name} }`)) {
    console.log(`  skipped ${basename(file, '.json')}: that version has no workflow ${name}`);
    continue;
  }
  replayed += 1;
  try {
    await Worker.runReplayHistory({ workflowBundle }, history, basename(file));
  } catch (error) {
    rejected += 1;
    console.log(`  rejected ${basename(file, '.json')}: ${String(error).split('\n')[0]}`);
  }
}
console.log(`${replayed - rejected} replayed, ${rejected} rejected`);
process.exitCode = rejected > 0 || replayed === 0 ? 1 : 0;
