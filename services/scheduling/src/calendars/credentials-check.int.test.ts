import { testCredentialsCheck } from '@mostrador/testing/credentials-check';
import { sealCredentials } from './credentials.ts';
import { credentialsCheck } from './credentials-check.ts';

testCredentialsCheck({
  service: 'scheduling',
  checkOf: credentialsCheck,
  connect: (database, vault, storeId, id) => {
    const sealed = sealCredentials(vault, storeId, id, { password: 'secret' });
    return database.adminSql`
      insert into calendar_connections (store_id, id, provider, sealed_credentials)
      values (${storeId}, ${id}, 'caldav', ${sealed})`;
  },
});
