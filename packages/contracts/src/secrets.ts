import { type SecretOperations, type SecretService, secretOperationsOf } from './core/secrets.ts';

export const { count: countSchedulingSecrets, reseal: resealSchedulingSecrets } = secretOperationsOf('scheduling');
export const { count: countMessagingSecrets, reseal: resealMessagingSecrets } = secretOperationsOf('messaging');
export const { count: countEventsSecrets, reseal: resealEventsSecrets } = secretOperationsOf('events');
export const { count: countAssistantSecrets, reseal: resealAssistantSecrets } = secretOperationsOf('assistant');

/** The operations on stored credentials of each service that has some. */
export const secretOperations = {
  scheduling: { count: countSchedulingSecrets, reseal: resealSchedulingSecrets },
  messaging: { count: countMessagingSecrets, reseal: resealMessagingSecrets },
  events: { count: countEventsSecrets, reseal: resealEventsSecrets },
  assistant: { count: countAssistantSecrets, reseal: resealAssistantSecrets },
} as const satisfies Record<SecretService, SecretOperations>;
