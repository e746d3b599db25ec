import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import type { PasswordHashing } from './credentials/password-hashing.ts';
import type { OidcProvider } from './oidc/oidc-provider.ts';

/** The dependencies of this service's handlers. */
export type Dependencies = {
  readonly database: Database;
  /** Reads every store and key, for operations that do not know the store yet. */
  readonly systemDatabase: SystemDatabase;
  readonly rpc: RpcClient;
  readonly passwords: PasswordHashing;
  /** Null: the operator configured none. */
  readonly oidc: OidcProvider | null;
  /** Where people reach the console, without a slash at the end. */
  readonly publicUrl: string;
  /** Asks every gateway to poll for changed stores and keys now. A lost notice only delays it to the next poll. */
  readonly announceAccessChange: () => void;
};
