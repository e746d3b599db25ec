import { testCredentialsCheck } from '@mostrador/testing/credentials-check';
import { sealCredentials } from './credentials.ts';
import { credentialsCheck } from './credentials-check.ts';

testCredentialsCheck({
  service: 'messaging',
  checkOf: credentialsCheck,
  connect: (database, vault, storeId, id) => {
    const sealed = sealCredentials(vault, storeId, id, { password: 'secret' });
    return database.adminSql`
      insert into channels (store_id, id, provider, phone, phone_number_id, sealed_credentials)
      values (${storeId}, ${id}, 'whatsapp_cloud', '5511999990000', ${id}, ${sealed})`;
  },
});
