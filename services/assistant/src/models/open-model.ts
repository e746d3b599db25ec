import type { EgressOfStores } from '@mostrador/kit/clients/egress';
import type { Vault } from '@mostrador/kit/clients/secrets';
import { type Credentials, openCredentials } from './credentials.ts';
import { demoModel } from './demo-model.ts';
import type { OpenModel } from './model.ts';
import { ModelFailure } from './model-failure.ts';
import { createSdkModel } from './sdk-model.ts';

/** Creates the function that opens models. */
export const createModels =
  ({ vault, egress }: { readonly vault: Vault; readonly egress: EgressOfStores }): OpenModel =>
  (storeId, connection) => {
    const { provider, url, model } = connection;
    if (provider === 'demo') return demoModel;
    let credentials: Credentials | undefined;
    try {
      credentials = openCredentials(vault, storeId, connection);
    } catch {
      throw new ModelFailure('unavailable', 'the key of the provider cannot be decrypted');
    }
    return createSdkModel(
      { provider, url: url ?? undefined, model: model ?? '', apiKey: credentials?.api_key },
      egress.forStore(storeId),
    );
  };
