import { createApiKey, listApiKeys, recordKeyUses, revokeApiKey, rotateApiKey } from './keys.ts';
import { createStoreKey, listStoreKeys, revokeStoreKey, rotateStoreKey } from './person-keys.ts';
import {
  authorizePerson,
  createPersonSession,
  endPersonSession,
  getPersonSession,
  listPersonSessions,
  recordChange,
  revokePersonSession,
} from './sessions.ts';
import { createStore, getStoreSettings, listStores, updateStore } from './stores.ts';
import { createLoginLink, disableUser, inviteUser, listUsers } from './users.ts';

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
} as const;
