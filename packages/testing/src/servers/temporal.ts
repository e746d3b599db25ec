import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import postgres from 'postgres';

/** A Temporal server that tests share, and a namespace that no other test file uses at the same time. */
export type TestTemporal = {
  readonly address: string;
  readonly namespace: string;
  readonly client: Client;
  close(): Promise<void>;
};

const namespaceCount = 30;

/** Lends one of the namespaces `test-01` to `test-30`, which are registered when the server starts, until it is closed. */
export async function testTemporal(): Promise<TestTemporal> {
  const address = process.env.TEST_TEMPORAL_ADDRESS;
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (!address || !serverUrl) throw new Error('TEST_TEMPORAL_ADDRESS is not set: run the tests with npm test');
  const loan = await borrow(serverUrl);
  const namespace = `test-${String(loan.number).padStart(2, '0')}`;
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  const close = async () => {
    await connection.close();
    await loan.giveBack();
  };
  return { address, namespace, client, close };
}

/**
 * Removes what earlier borrowers left in the namespace, for who counts what runs in it. Schedules would start workflows at
 * a time of theirs.
 */
export async function emptyNamespace({ client }: TestTemporal): Promise<void> {
  for await (const { scheduleId } of client.schedule.list()) await client.schedule.getHandle(scheduleId).delete();
  const terminate = (workflowId: string) =>
    client.workflow
      .getHandle(workflowId)
      .terminate('its test has ended')
      .catch((error) => {
        // It ended in between.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
  const terminating: Promise<unknown>[] = [];
  for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) {
    terminating.push(terminate(workflowId));
    if (terminating.length === 50) await Promise.all(terminating.splice(0));
  }
  await Promise.all(terminating);
}

/** A number that no other process has. It is held by a lock of its own connection, so one that is killed gives it back. */
async function borrow(serverUrl: string): Promise<{ number: number; giveBack(): Promise<void> }> {
  const sql = postgres(serverUrl, { max: 1, onnotice: () => {}, idle_timeout: 0, max_lifetime: null });
  // One that was just given back is not the next to be lent: what used it may still be stopping.
  const numbers = Array.from({ length: namespaceCount }, (_, index) => ((process.pid + index) % namespaceCount) + 1);
  const [row] = await sql<{ number: number }[]>`
    select number from unnest(${numbers}::int[]) as number
    where pg_try_advisory_lock(hashtext('test namespaces'), number) limit 1`;
  if (!row) throw new Error(`all ${namespaceCount} namespaces are lent`);
  return { number: row.number, giveBack: () => sql.end() };
}
