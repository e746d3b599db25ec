import {
  cancelMessage,
  closeSession,
  getConversation,
  getMessage,
  listMessages,
  listSessions,
  listStoreMessages,
  listTemplates,
  type Message,
  type Session,
  sendMessage,
  type Template,
} from '@mostrador/contracts';
import { type ExampleOfOperation, example, listOf } from './example.ts';
import { ids, lead } from './optician.ts';

const params = { leadId: ids.lead };
export const session: Session = {
  id: ids.session,
  lead_id: ids.lead,
  status: 'active',
  started_at: lead.created_at,
  ended_at: null,
};
export const answer: Message = {
  id: ids.message,
  lead_id: ids.lead,
  session_id: ids.session,
  direction: 'outbound',
  source: 'api',
  author: { kind: 'api_key', id: 'Gk3vT8sQ1xLm9dZa', name: null },
  body: 'Oi, Helena! Sua lente já chegou. Quando quer passar na loja?',
  body_truncated: false,
  type: 'text',
  media: null,
  content: null,
  template: null,
  from_history: false,
  reply_to_id: null,
  status: 'delivered',
  error: null,
  reason: null,
  next_attempt_at: null,
  provider_message_id: 'wamid.HBgNNTUxMTkwMDAwMDE0MhUCABEYEjU2',
  metadata: { order: '1042' },
  created_at: '2026-01-12T13:05:38.204Z',
  sent_at: '2026-01-12T13:05:38.911Z',
  updated_at: '2026-01-12T13:05:40.117Z',
  delivered_at: '2026-01-12T13:05:40.117Z',
  read_at: null,
  reactions: [],
  edited_at: null,
  revoked_at: null,
};
export const question: Message = {
  ...answer,
  id: ids.question,
  direction: 'inbound',
  source: 'lead',
  author: null,
  body: 'Oi! Minha lente multifocal já chegou?',
  status: 'received',
  provider_message_id: 'wamid.HBgNNTUxMTkwMDAwMDE0MhUCABEYEjQ1',
  metadata: {},
  created_at: lead.created_at,
  updated_at: lead.created_at,
  sent_at: null,
  delivered_at: null,
};

export const orderReady: Template = {
  id: ids.template,
  name: 'order_ready',
  language: 'pt_BR',
  status: 'approved',
  rejected_reason: null,
  category: 'utility',
  quality: 'green',
  variables: 'positional',
  components: [{ type: 'body', format: null, text: 'Oi, {{1}}! Seu pedido está pronto.', buttons: [] }],
  updated_at: '2026-01-12T11:58:03.410Z',
};

export const messagingExamples: readonly ExampleOfOperation[] = [
  example(
    sendMessage,
    { params, body: { message: answer.body, metadata: answer.metadata } },
    { sent: true, id: ids.message, status: 'sent', error: null },
  ),
  example(listTemplates, { query: { status: 'approved' } }, listOf([orderReady])),
  example(listMessages, { params, query: {} }, listOf([answer, question])),
  example(listStoreMessages, { query: { since: '2026-01-12T00:00:00Z', limit: 200 } }, listOf([answer])),
  example(cancelMessage, { params: { ...params, messageId: ids.message } }, { cancelled: true, id: ids.message }),
  example(getMessage, { params: { ...params, messageId: ids.message } }, answer),
  example(
    getConversation,
    { params },
    {
      lead_id: ids.lead,
      opted_out_at: '2026-01-12T14:00:00.000Z',
      opt_out: { scope: 'marketing', source: 'channel_preference', at: '2026-01-12T14:00:00.000Z' },
      window_expires_at: '2026-01-13T13:02:11.482Z',
      window_open: true,
    },
  ),
  example(listSessions, { params }, [session]),
  example(
    closeSession,
    { params: { ...params, sessionId: ids.session } },
    { ...session, status: 'ended', ended_at: '2026-01-12T14:20:00.000Z' },
  ),
];
