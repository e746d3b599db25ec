import { type Client, createClients } from '@mostrador/kit/database/client';
import { codeOf } from '@mostrador/kit/database/failures';
import { databaseFault } from '@mostrador/kit/database/readiness';
import { defaultDatabase } from '@mostrador/platform/servers';

const limits = {
  statementTimeoutMs: 4_000,
  lockTimeoutMs: 1_000,
  idleInTransactionTimeoutMs: 5_000,
  transactionTimeoutMs: 5_000,
};

/**
 * The address with the database of the platform: the named one, else that of the address. An administrator's login for
 * `platform roles` names `postgres`, which is never it. The address may have several hosts, and then it is no URL.
 */
export const inDatabase = (url: string, name: string | undefined): string =>
  url.replace(/^(\w+:\/\/[^/?]*)(?:\/([^?]*))?/, (_, server, own = '') => {
    const byDefault = own === '' || own === 'postgres' ? defaultDatabase : own;
    return `${server}/${name === undefined ? byDefault : encodeURIComponent(name)}`;
  });

/** No host of the address lets the command in. */
export class Unreachable extends Error {}

/** Runs the work on a connection to the host that takes writes, or else to one that answers. Throws Unreachable. */
export async function withDatabase<T>(
  url: string,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const clients = createClients({ url, name: 'mostrador doctor', limits });
  let client = clients.create();
  const destroy = () => client.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    for (let host = 1; ; host++) {
      try {
        await client.assertWritable();
        break;
      } catch (error) {
        // A read-only server is no obstacle: it is what an operator must see.
        if (host >= clients.hosts) {
          if (codeOf(error) === '25006') break;
          throw new Unreachable(databaseFault(error, 'POSTGRES_URL'), { cause: error });
        }
        client.destroy();
        client = clients.create();
      }
    }
    return await work(client);
  } finally {
    signal.removeEventListener('abort', destroy);
    await client.end();
  }
}
