import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import postgres from 'postgres';

/** The shared Temporal server, and a namespace that no other test file uses at the same time. */
export type TestTemporal = {
  readonly address: string;
  readonly namespace: string;
  readonly client: Client;
  close(): Promise<void>;
};

const namespaceCount = 30;

/** Reserves one of the namespaces `test-01` to `test-30` until `close`. They are registered when the server starts. */
export async function testTemporal(): Promise<TestTemporal> {
  const address = process.env.TEST_TEMPORAL_ADDRESS;
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (!address || !serverUrl) throw new Error('TEST_TEMPORAL_ADDRESS is not set: run the tests with npm test');
  const loan = await borrow(serverUrl);
  const namespace = `test-${String(loan.number).padStart(2, '0')}`;
  const connection = await Connection.connect({ address, connectTimeout: '1 minute' });
  const client = new Client({ connection, namespace });
  const close = async () => {
    await connection.close();
    await loan.giveBack();
  };
  return { address, namespace, client, close };
}

/**
 * Deletes the schedules and terminates the workflows that earlier tests left in the namespace. A test that counts
 * running workflows needs this.
 */
export async function emptyNamespace({ client }: TestTemporal): Promise<void> {
  for await (const { scheduleId } of client.schedule.list()) await client.schedule.getHandle(scheduleId).delete();
  const terminate = (workflowId: string) =>
    client.workflow
      .getHandle(workflowId)
      .terminate('its test has ended')
      .catch((error) => {
        // The workflow has ended since it was listed.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
  const terminating: Promise<unknown>[] = [];
  for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) {
    terminating.push(terminate(workflowId));
    if (terminating.length === 50) await Promise.all(terminating.splice(0));
  }
  await Promise.all(terminating);
}

/** Reserves a number by an advisory lock of its own connection. PostgreSQL releases it when the process is killed. */
async function borrow(serverUrl: string): Promise<{ number: number; giveBack(): Promise<void> }> {
  const sql = postgres(serverUrl, { max: 1, onnotice: () => {}, idle_timeout: 0, max_lifetime: null });
  // Each process starts at another number, because the last user of a namespace may still be stopping.
  const numbers = Array.from({ length: namespaceCount }, (_, index) => ((process.pid + index) % namespaceCount) + 1);
  const [row] = await sql<{ number: number }[]>`
    select number from unnest(${numbers}::int[]) as number
    where pg_try_advisory_lock(hashtext('test namespaces'), number) limit 1`;
  if (!row) throw new Error(`all ${namespaceCount} test namespaces are in use`);
  return { number: row.number, giveBack: () => sql.end() };
}
