import { rebuildMessagingTotals, verifyMessagingTotals } from '../list-totals.ts';
import {
  giveUpOperatorMessaging,
  listMessagingWaitingStores,
  listOperatorMessaging,
  retryOperatorMessaging,
} from '../operator-waiting.ts';
import { countMessagingSecrets, resealMessagingSecrets } from '../secrets.ts';
import {
  connectChannel,
  connectStoreChannel,
  disconnectChannel,
  disconnectStoreChannel,
  getChannelConnection,
  getStoreChannel,
  showChannel,
} from './channels.ts';
import { changeContactPhone, getConversation, getOptOut, mergeConversations } from './conversations.ts';
import { pumpDeliveries } from './deliveries.ts';
import { followLead, listConversations, markConversationRead } from './inbox.ts';
import {
  acceptMessage,
  cancelMessage,
  deliverMessages,
  getMessage,
  listMessages,
  listStoreMessages,
  sendMessage,
  settleMessage,
} from './messages.ts';
import { messagingReportOperations } from './reports.ts';
import { fenceMessages } from './restore.ts';
import {
  changeSandboxMessage,
  describeSandbox,
  handOverSandbox,
  readSandboxConversation,
  receiveSandboxMessage,
  reportSandboxReceipts,
} from './sandbox.ts';
import { closeSession, isFirstContact, listSessions } from './sessions.ts';
import { changeMessagingSettings, getMessagingSettings, updateMessagingSettings } from './settings.ts';
import { checkTemplate, listTemplates } from './templates.ts';
import { giveUpWaitingMessages, listWaitingMessages, retryWaitingMessages } from './waiting.ts';
import { receiveWebhook, verifyWebhook } from './webhooks.ts';

export const messagingOperations = {
  listStoreMessages,
  sendMessage,
  listMessages,
  getMessage,
  cancelMessage,
  getConversation,
  listSessions,
  closeSession,
  isFirstContact,
  getChannelConnection,
  getOptOut,
  listTemplates,
  checkTemplate,
  acceptMessage,
  deliverMessages,
  pumpDeliveries,
  settleMessage,
  verifyWebhook,
  receiveWebhook,
  receiveSandboxMessage,
  changeSandboxMessage,
  handOverSandbox,
  readSandboxConversation,
  reportSandboxReceipts,
  describeSandbox,
  connectChannel,
  disconnectChannel,
  showChannel,
  getStoreChannel,
  connectStoreChannel,
  disconnectStoreChannel,
  listWaitingMessages,
  retryWaitingMessages,
  giveUpWaitingMessages,
  updateMessagingSettings,
  getMessagingSettings,
  changeMessagingSettings,
  changeContactPhone,
  mergeConversations,
  fenceMessages,
  listConversations,
  markConversationRead,
  followLead,
  ...messagingReportOperations,
  verifyMessagingTotals,
  rebuildMessagingTotals,
  listMessagingWaitingStores,
  listOperatorMessaging,
  retryOperatorMessaging,
  giveUpOperatorMessaging,
  countMessagingSecrets,
  resealMessagingSecrets,
} as const;
