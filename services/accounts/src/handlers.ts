import type { accountsOperations } from '@mostrador/contracts';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { listAuditLog } from './audit/list-audit-log.ts';
import { recordChange } from './audit/record-change.ts';
import { recordOperation } from './audit/record-operation.ts';
import { getCredentials } from './credentials/get-credentials.ts';
import { setPassword } from './credentials/set-password.ts';
import type { Dependencies } from './dependencies.ts';
import { joinStore } from './joins/join-store.ts';
import { startJoin } from './joins/start-join.ts';
import { startOidcJoin } from './joins/start-oidc-join.ts';
import { createApiKey } from './keys/create-api-key.ts';
import { createStoreKey } from './keys/create-store-key.ts';
import { getApiKey } from './keys/get-api-key.ts';
import { listApiKeys } from './keys/list-api-keys.ts';
import { listStoreKeys } from './keys/list-store-keys.ts';
import { recordKeyUses } from './keys/record-key-uses.ts';
import { revokeApiKey } from './keys/revoke-api-key.ts';
import { revokeStoreKey } from './keys/revoke-store-key.ts';
import { rotateApiKey } from './keys/rotate-api-key.ts';
import { rotateStoreKey } from './keys/rotate-store-key.ts';
import { createOidcSession } from './oidc/create-oidc-session.ts';
import { getSignInOptions } from './oidc/get-sign-in-options.ts';
import { startOidcSession } from './oidc/start-oidc-session.ts';
import { getStoreOptions } from './options/get-store-options.ts';
import { updateStoreOptions } from './options/update-store-options.ts';
import { createPasskey } from './passkeys/create-passkey.ts';
import { createPasskeySession } from './passkeys/create-passkey-session.ts';
import { removePasskey } from './passkeys/remove-passkey.ts';
import { renamePasskey } from './passkeys/rename-passkey.ts';
import { startPasskey } from './passkeys/start-passkey.ts';
import { startPasskeySession } from './passkeys/start-passkey-session.ts';
import { createLoginLink } from './people/create-login-link.ts';
import { createPersonLink } from './people/create-person-link.ts';
import { disableUser } from './people/disable-user.ts';
import { enableUser } from './people/enable-user.ts';
import { invitePerson } from './people/invite-person.ts';
import { inviteUser } from './people/invite-user.ts';
import { listPeople } from './people/list-people.ts';
import { listPersonCreations } from './people/list-person-creations.ts';
import { listUsers } from './people/list-users.ts';
import { removePerson } from './people/remove-person.ts';
import { removeUser } from './people/remove-user.ts';
import { unlinkUser } from './people/unlink-user.ts';
import { updatePerson } from './people/update-person.ts';
import { authorizePerson } from './sessions/authorize-person.ts';
import { checkPersonSessions } from './sessions/check-person-sessions.ts';
import { createPersonSession } from './sessions/create-person-session.ts';
import { endPersonSession } from './sessions/end-person-session.ts';
import { getLoginLink } from './sessions/get-login-link.ts';
import { getPersonSession } from './sessions/get-person-session.ts';
import { listPersonSessions } from './sessions/list-person-sessions.ts';
import { listPersonStores } from './sessions/list-person-stores.ts';
import { revokePersonSession } from './sessions/revoke-person-session.ts';
import { switchStore } from './sessions/switch-store.ts';
import { createStore } from './stores/create-store.ts';
import { getStoreSettings } from './stores/get-store-settings.ts';
import { listStores } from './stores/list-stores.ts';
import { updateStore } from './stores/update-store.ts';

export const createHandlers = (dependencies: Dependencies): Handlers<typeof accountsOperations> => ({
  getStoreSettings: getStoreSettings(dependencies),
  createStore: createStore(dependencies),
  updateStore: updateStore(dependencies),
  listStores: listStores(dependencies),
  createApiKey: createApiKey(dependencies),
  listApiKeys: listApiKeys(dependencies),
  getApiKey: getApiKey(dependencies),
  rotateApiKey: rotateApiKey(dependencies),
  revokeApiKey: revokeApiKey(dependencies),
  recordKeyUses: recordKeyUses(dependencies),
  inviteUser: inviteUser(dependencies),
  createLoginLink: createLoginLink(dependencies),
  listUsers: listUsers(dependencies),
  disableUser: disableUser(dependencies),
  enableUser: enableUser(dependencies),
  unlinkUser: unlinkUser(dependencies),
  removeUser: removeUser(dependencies),
  getLoginLink: getLoginLink(dependencies),
  createPersonSession: createPersonSession(dependencies),
  getPersonSession: getPersonSession(dependencies),
  endPersonSession: endPersonSession(dependencies),
  startJoin: startJoin(dependencies),
  joinStore: joinStore(dependencies),
  startOidcJoin: startOidcJoin(dependencies),
  listPersonSessions: listPersonSessions(dependencies),
  revokePersonSession: revokePersonSession(dependencies),
  authorizePerson: authorizePerson(dependencies),
  checkPersonSessions: checkPersonSessions(dependencies),
  recordChange: recordChange(dependencies),
  recordOperation: recordOperation(dependencies),
  listStoreKeys: listStoreKeys(dependencies),
  createStoreKey: createStoreKey(dependencies),
  rotateStoreKey: rotateStoreKey(dependencies),
  revokeStoreKey: revokeStoreKey(dependencies),
  listPeople: listPeople(dependencies),
  invitePerson: invitePerson(dependencies),
  updatePerson: updatePerson(dependencies),
  createPersonLink: createPersonLink(dependencies),
  listPersonCreations: listPersonCreations(dependencies),
  removePerson: removePerson(dependencies),
  listAuditLog: listAuditLog(dependencies),
  listPersonStores: listPersonStores(dependencies),
  switchStore: switchStore(dependencies),
  getCredentials: getCredentials(dependencies),
  setPassword: setPassword(dependencies),
  startPasskey: startPasskey(dependencies),
  createPasskey: createPasskey(dependencies),
  renamePasskey: renamePasskey(dependencies),
  removePasskey: removePasskey(dependencies),
  startPasskeySession: startPasskeySession(dependencies),
  createPasskeySession: createPasskeySession(dependencies),
  getSignInOptions: getSignInOptions(dependencies),
  startOidcSession: startOidcSession(dependencies),
  createOidcSession: createOidcSession(dependencies),
  getStoreOptions: getStoreOptions(dependencies),
  updateStoreOptions: updateStoreOptions(dependencies),
});
