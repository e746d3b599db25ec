import { searchAttributes } from '../../packages/contracts/src/workflows.ts';
import type { TemporalAddress } from '../../packages/kit/src/clients/temporal-address.ts';
import { keyword } from '../../packages/kit/src/clients/temporal-namespace.ts';

/** The names that workflows can be searched by, all of type Keyword. */
export const searchAttributeNames: string[] = Object.values(searchAttributes);

/** Registers the search attributes that a server of the environment does not have yet. */
export async function registerSearchAttributes(server: TemporalAddress, namespace: string): Promise<void> {
  // Imported here, because it takes a while and only a server of the environment needs it.
  const { Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({ ...server, connectTimeout: 5000 });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributeNames.filter((name) => !(name in customAttributes));
    if (missing.length === 0) return;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, keyword])),
    });
  } finally {
    await connection.close();
  }
}
