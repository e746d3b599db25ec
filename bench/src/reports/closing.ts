import { randomUUID } from 'node:crypto';
import { type ReportService, reportServices, rollupOperations } from '@mostrador/contracts';
import { createLog } from '@mostrador/kit/process/log';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { connectNats } from '@mostrador/kit/rpc/nats';
import type { Platform } from '../shared/platform.ts';
import { connectAdmin } from './fill.ts';

/** How long closing the rollups takes, with the steps of the schedule's workflow. */
export type Closing = {
  readonly service: ReportService;
  /** The number of counted facts. */
  readonly facts: number;
  /** The duration of closing all quarter-hours from nothing. */
  readonly allSeconds: number;
  /** The workflow steps of that. */
  readonly steps: number;
  /** The rollup rows that it created. */
  readonly quarters: number;
  /** The duration of closing one quarter-hour, as the schedule does every 15 minutes. */
  readonly quarterMs: number;
};

const stepLimitMs = 12_000; // the timeout of an activity's request

/** Resets the rollups of every service and closes all quarter-hours again. */
export async function measureClosing(platform: Platform, say: (text: string) => void): Promise<Closing[]> {
  const log = createLog({ service: 'bench', level: 'silent', format: 'json' });
  const connect = (user: 'admin' | 'workflows') => connectNats({ url: platform.natsUrl(user), name: 'bench', log });
  const [admin, worker] = await Promise.all([connect('admin'), connect('workflows')]);
  const sql = connectAdmin(platform.databaseUrl);
  const [adminRpc, workerRpc] = [createRpcClient({ nats: admin, log }), createRpcClient({ nats: worker, log })];
  const context = (limitMs: number) => ({ requestId: randomUUID(), deadline: Date.now() + limitMs });

  const closeAll = async (service: ReportService) => {
    const beganAt = performance.now();
    let steps = 0;
    for (let more = true; more; steps++)
      ({ more } = await workerRpc.call(rollupOperations[service].close, {}, context(stepLimitMs)));
    return { seconds: (performance.now() - beganAt) / 1000, steps };
  };
  const closings: Closing[] = [];
  try {
    for (const service of reportServices) {
      await adminRpc.call(rollupOperations[service].reset, {}, context(60_000));
      const all = await closeAll(service);
      const [counted] = await sql<[{ quarters: number; facts: number }]>`
        select (select count(*)::int from ${sql(service)}.report_quarters) as quarters,
               (select count(*)::int from ${sql(service)}.report_facts) as facts`;
      await openLastQuarter(sql, service);
      const last = await closeAll(service);
      closings.push({
        service,
        ...counted,
        allSeconds: all.seconds,
        steps: all.steps,
        quarterMs: last.seconds * 1000,
      });
      say(`${service}: ${counted.facts.toLocaleString('en')} facts closed in ${all.seconds.toFixed(1)} s`);
    }
  } finally {
    await sql.end();
    await Promise.all([admin.close(), worker.close()]);
  }
  return closings;
}

/** Reopens the last closed quarter-hour, as the next scheduled closing would find it. */
async function openLastQuarter(sql: ReturnType<typeof connectAdmin>, service: ReportService): Promise<void> {
  const [closing] = await sql<[{ until: Date }]>`
    update ${sql(service)}.report_closing set closed_until = closed_until - interval '15 minutes'
    returning closed_until as until`;
  await sql`delete from ${sql(service)}.report_quarters where quarter >= ${closing.until}`;
}
