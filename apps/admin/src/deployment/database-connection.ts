import { type Client, openClient } from '@mostrador/kit/database/client';
import { databaseFault } from '@mostrador/kit/database/readiness';
import { patiently } from '@mostrador/kit/process/patiently';

/** A person waits, and a statement here is quick; creating an extension is not. */
const limits = {
  statementTimeoutMs: 60_000,
  lockTimeoutMs: 20_000,
  idleInTransactionTimeoutMs: 60_000,
  transactionTimeoutMs: 120_000,
};

/** PostgreSQL is not reached, or refuses the login. The message says what to do, and shows no address. */
export class NoLogin extends Error {
  /** Whether the server answered that the password, or the user, is wrong. */
  readonly rejected: boolean;
  /** Whether the server answered about this login or this database, so that others may work. */
  readonly isOwn: boolean;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    const { code = '' } = cause as { code?: string };
    this.rejected = code === '28P01';
    this.isOwn = ownFaults.has(code);
  }
}

/** The user, the password, the database, its grants (https://www.postgresql.org/docs/18/errcodes-appendix.html). */
export const ownFaults = new Set(['28000', '28P01', '3D000', '42501']);

/** One connection has 5 s to open. A server that is busy, or starts again, opens a later one. */
const opensWithinMs = 10_000;
const mayOpenLater = new Set(['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'ECONNRESET']);
/** One that is down, and wrong settings, are said at once. */
const untilOpen = {
  pauseMs: () => 250,
  mayPass: (error: unknown) => mayOpenLater.has((error as { code?: string }).code ?? ''),
};

/** Runs work on one connection. `name` is the variable or file with the address. Throws NoLogin when it does not open. */
export async function onDatabase<T>(
  { url, name }: { readonly url: string; readonly name: string },
  work: (sql: Client['sql']) => Promise<T>,
): Promise<T> {
  const open = () => openClient({ url, name: 'mostrador admin', limits });
  const client = await patiently({ ...untilOpen, until: Date.now() + opensWithinMs }, open).catch((cause) => {
    throw new NoLogin(databaseFault(cause, name), cause);
  });
  try {
    return await work(client.sql);
  } finally {
    await client.end();
  }
}
