import { testCredentialsCheck } from '@mostrador/testing/credentials-check';
import { sealCredentials } from './credentials.ts';
import { credentialsCheck } from './credentials-check.ts';

testCredentialsCheck({
  service: 'assistant',
  checkOf: credentialsCheck,
  connect: (database, vault, storeId, id) => {
    const sealed = sealCredentials(vault, storeId, id, { api_key: 'secret' });
    return database.adminSql`
      insert into provider_connections (store_id, id, provider, sealed_credentials)
      values (${storeId}, ${id}, 'gemini', ${sealed})`;
  },
});
