import { Client, Connection } from '@temporalio/client';
import type postgres from 'postgres';
import { onServer } from './database.ts';

/** A Temporal server that tests share, and a namespace that no other test file uses at the same time. */
export type TestTemporal = {
  readonly address: string;
  readonly namespace: string;
  readonly client: Client;
  close(): Promise<void>;
};

const NAMESPACES = 30;

/** Hands out the namespaces `test-01` to `test-30` in turn: they are registered when the server starts. */
export async function testTemporal(): Promise<TestTemporal> {
  const address = process.env.TEST_TEMPORAL_ADDRESS;
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (!address || !serverUrl) throw new Error('TEST_TEMPORAL_ADDRESS is not set: run the tests with npm test');
  const namespace = `test-${String(await nextNumber(serverUrl)).padStart(2, '0')}`;
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  await clear(client);
  return { address, namespace, client, close: () => connection.close() };
}

/** Removes what an earlier borrower left: schedules would start workflows in this one's time, and it counts what runs. */
async function clear(client: Client): Promise<void> {
  for await (const { scheduleId } of client.schedule.list()) await client.schedule.getHandle(scheduleId).delete();
  for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) {
    await client.workflow.getHandle(workflowId).terminate('its test has ended');
  }
}

async function nextNumber(serverUrl: string): Promise<number> {
  const rows = await onServer(serverUrl, async (sql: postgres.Sql) => {
    await sql.begin(async (transaction) => {
      await transaction`select pg_advisory_xact_lock(hashtext('test namespaces'))`;
      await transaction.unsafe(`create sequence if not exists test_namespaces maxvalue ${NAMESPACES} cycle`);
    });
    return sql`select nextval('test_namespaces')::int as number`;
  });
  return (rows as { number: number }[])[0]?.number ?? 1;
}
