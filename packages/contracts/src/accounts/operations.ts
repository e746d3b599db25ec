import { listAuditLog } from './audit-log.ts';
import { getCredentials, setPassword } from './credentials.ts';
import { createApiKey, listApiKeys, recordKeyUses, revokeApiKey, rotateApiKey } from './keys.ts';
import { createOidcSession, getSignInOptions, startOidcSession } from './oidc.ts';
import {
  createPasskey,
  createPasskeySession,
  removePasskey,
  renamePasskey,
  startPasskey,
  startPasskeySession,
} from './passkeys.ts';
import { createPersonLink, invitePerson, listPeople, removePerson, updatePerson } from './people.ts';
import { createStoreKey, listStoreKeys, revokeStoreKey, rotateStoreKey } from './person-keys.ts';
import {
  authorizePerson,
  createPersonSession,
  endPersonSession,
  getPersonSession,
  listPersonSessions,
  listPersonStores,
  recordChange,
  revokePersonSession,
  switchStore,
} from './sessions.ts';
import { getStoreOptions, updateStoreOptions } from './settings.ts';
import { createStore, getStoreSettings, listStores, updateStore } from './stores.ts';
import { createLoginLink, disableUser, enableUser, inviteUser, listUsers, removeUser, unlinkUser } from './users.ts';

export const accountsOperations = {
  getStoreSettings,
  createStore,
  updateStore,
  listStores,
  createApiKey,
  listApiKeys,
  rotateApiKey,
  revokeApiKey,
  recordKeyUses,
  inviteUser,
  createLoginLink,
  listUsers,
  disableUser,
  enableUser,
  unlinkUser,
  removeUser,
  createPersonSession,
  getPersonSession,
  endPersonSession,
  listPersonSessions,
  revokePersonSession,
  authorizePerson,
  recordChange,
  listStoreKeys,
  createStoreKey,
  rotateStoreKey,
  revokeStoreKey,
  listPeople,
  invitePerson,
  updatePerson,
  createPersonLink,
  removePerson,
  listAuditLog,
  listPersonStores,
  switchStore,
  getCredentials,
  setPassword,
  startPasskey,
  createPasskey,
  renamePasskey,
  removePasskey,
  startPasskeySession,
  createPasskeySession,
  getSignInOptions,
  startOidcSession,
  createOidcSession,
  getStoreOptions,
  updateStoreOptions,
} as const;
