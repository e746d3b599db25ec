import {
  cancelMessage,
  closeSession,
  getConversation,
  getMessage,
  listMessages,
  listSessions,
  listStoreMessages,
  sendMessage,
} from '@mostrador/contracts';
import { del, get, post, type Route, route } from './route.ts';

const read = { tag: 'Messages', scope: 'messages:read' } as const;
const write = { tag: 'Messages', scope: 'messages:write' } as const;

export const messagingRoutes: readonly Route[] = [
  route(get('/messages'), listStoreMessages, read),
  // The answer can say `queued`, and a replay repeats it. The address has the present state.
  route(post('/leads/:leadId/messages'), sendMessage, { ...write, located: true }),
  route(get('/leads/:leadId/messages'), listMessages, read),
  route(get('/leads/:leadId/messages/:messageId'), getMessage, read),
  route(del('/leads/:leadId/messages/:messageId'), cancelMessage, write),
  route(get('/leads/:leadId/conversation'), getConversation, read),
  route(get('/leads/:leadId/sessions'), listSessions, read),
  route(post('/leads/:leadId/sessions/:sessionId/close'), closeSession, write),
];
