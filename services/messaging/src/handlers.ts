import type { messagingOperations } from '@mostrador/contracts';
import { secretHandlers } from '@mostrador/kit/clients/reseal';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { waitingHandlers } from '@mostrador/kit/step/waiting';
import { rollupHandlers } from '@mostrador/rollups/handlers';
import { listTotalHandlers } from '@mostrador/totals/handlers';
import { sealedChannels } from './channels/credentials.ts';
import { connectChannel } from './connection/connect-channel.ts';
import { connectStoreChannel } from './connection/connect-store-channel.ts';
import { disconnectChannel } from './connection/disconnect-channel.ts';
import { getChannelConnection } from './connection/get-channel-connection.ts';
import { getStoreChannel } from './connection/get-store-channel.ts';
import { showChannel } from './connection/show-channel.ts';
import { changeContactPhone } from './conversations/change-contact-phone.ts';
import { getConversation } from './conversations/get-conversation.ts';
import { getOptOut } from './conversations/get-opt-out.ts';
import { cancelMessage } from './delivery/cancel-message.ts';
import { deliverMessages } from './delivery/deliver-messages.ts';
import { pumpDeliveries } from './delivery/pump-deliveries.ts';
import { settleMessage } from './delivery/settle-message.ts';
import { waitingMessages } from './delivery/waiting-messages.ts';
import type { Dependencies } from './dependencies.ts';
import { receiveWebhook } from './inbound/receive-webhook.ts';
import { verifyWebhook } from './inbound/verify-webhook.ts';
import { waitingPayloads } from './inbound/waiting-payloads.ts';
import { followLead } from './inbox/follow-lead.ts';
import { listConversations } from './inbox/list-conversations.ts';
import { markConversationRead } from './inbox/mark-conversation-read.ts';
import { mergeConversations } from './merges/merge-conversations.ts';
import { getMessage } from './messages/get-message.ts';
import { listMessages } from './messages/list-messages.ts';
import { listStoreMessages } from './messages/list-store-messages.ts';
import { acceptMessage } from './outbound/accept-message.ts';
import { sendMessage } from './outbound/send-message.ts';
import { conversationRollups } from './reports/conversation-counts.ts';
import { reportConversation } from './reports/report-conversation.ts';
import { summarizeConversations } from './reports/summarize-conversations.ts';
import { fenceMessages } from './restore/fence-messages.ts';
import { changeSandboxMessage } from './sandbox-page/change-sandbox-message.ts';
import { describeSandbox } from './sandbox-page/describe-sandbox.ts';
import { handOverSandbox } from './sandbox-page/hand-over-sandbox.ts';
import { readSandboxConversation } from './sandbox-page/read-sandbox-conversation.ts';
import { receiveSandboxMessage } from './sandbox-page/receive-sandbox-message.ts';
import { reportSandboxReceipts } from './sandbox-page/report-sandbox-receipts.ts';
import { closeSession } from './sessions/close-session.ts';
import { isFirstContact } from './sessions/is-first-contact.ts';
import { listSessions } from './sessions/list-sessions.ts';
import { getSettings } from './settings/get-settings.ts';
import { updateSettings } from './settings/update-settings.ts';
import { checkTemplate } from './templates/check-template.ts';
import { listTemplates } from './templates/list-templates.ts';

export const createHandlers = (dependencies: Dependencies): Handlers<typeof messagingOperations> => {
  const reports = rollupHandlers(conversationRollups, dependencies);
  const waiting = waitingHandlers(
    { message: waitingMessages },
    {
      ...dependencies,
      // Requests that wait for the outcome of their message get it, and what is due now is sent.
      afterChange: (storeId, ids) => {
        for (const id of ids) dependencies.outcomes.announce(id);
        dependencies.notices.publish(storeId);
      },
    },
    { inbound_payload: waitingPayloads },
  );
  const totals = listTotalHandlers(dependencies.listTotals);
  const secrets = secretHandlers(sealedChannels, dependencies);
  return {
    getConversation: getConversation(dependencies),
    getOptOut: getOptOut(dependencies),
    sendMessage: sendMessage(dependencies),
    listMessages: listMessages(dependencies),
    listStoreMessages: listStoreMessages(dependencies),
    getMessage: getMessage(dependencies),
    cancelMessage: cancelMessage(dependencies),
    listTemplates: listTemplates(dependencies),
    checkTemplate: checkTemplate(dependencies),
    acceptMessage: acceptMessage(dependencies),
    deliverMessages: deliverMessages(dependencies),
    pumpDeliveries: pumpDeliveries(dependencies),
    settleMessage: settleMessage(dependencies),
    listSessions: listSessions(dependencies),
    closeSession: closeSession(dependencies),
    isFirstContact: isFirstContact(dependencies),
    verifyWebhook: verifyWebhook(dependencies),
    receiveWebhook: receiveWebhook(dependencies),
    receiveSandboxMessage: receiveSandboxMessage(dependencies),
    changeSandboxMessage: changeSandboxMessage(dependencies),
    handOverSandbox: handOverSandbox(dependencies),
    readSandboxConversation: readSandboxConversation(dependencies),
    reportSandboxReceipts: reportSandboxReceipts(dependencies),
    describeSandbox: describeSandbox(dependencies),
    getChannelConnection: getChannelConnection(dependencies),
    connectChannel: connectChannel(dependencies),
    disconnectChannel: disconnectChannel(dependencies),
    showChannel: showChannel(dependencies),
    getStoreChannel: getStoreChannel(dependencies),
    connectStoreChannel: connectStoreChannel(dependencies),
    disconnectStoreChannel: disconnectChannel(dependencies),
    listWaitingMessages: waiting.store.list,
    retryWaitingMessages: waiting.store.retry,
    giveUpWaitingMessages: waiting.store.giveUp,
    updateMessagingSettings: updateSettings(dependencies),
    getMessagingSettings: getSettings(dependencies),
    changeMessagingSettings: updateSettings(dependencies),
    summarizeConversations: summarizeConversations(dependencies),
    reportConversation: reportConversation(dependencies),
    changeContactPhone: changeContactPhone(dependencies),
    mergeConversations: mergeConversations(dependencies),
    fenceMessages: fenceMessages(dependencies),
    listConversations: listConversations(dependencies),
    markConversationRead: markConversationRead(dependencies),
    followLead: followLead(dependencies),
    closeConversationReports: reports.close,
    verifyConversationReports: reports.verify,
    resetConversationReports: reports.reset,
    verifyMessagingTotals: totals.verify,
    rebuildMessagingTotals: totals.rebuild,
    listMessagingWaitingStores: waiting.operator.stores,
    listOperatorMessaging: waiting.operator.list,
    retryOperatorMessaging: waiting.operator.retry,
    giveUpOperatorMessaging: waiting.operator.giveUp,
    countMessagingSecrets: secrets.count,
    resealMessagingSecrets: secrets.reseal,
  };
};
