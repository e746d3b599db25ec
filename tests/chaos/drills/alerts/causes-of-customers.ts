import {
  connectEmbedder,
  disconnectEmbedder,
  updateAssistantSettings,
  updateMessagingSettings,
} from '@mostrador/contracts';
import { freePort } from '@mostrador/local-platform/ports';
import { inboundPayload } from '@mostrador/testing/providers/whatsapp/webhooks';
import type { ChaosLead } from '../../storm/journal.ts';
import { admin } from '../admin.ts';
import { type Cause, each } from './cause.ts';
import { modelWay, type Scene } from './scene.ts';

export const outcomeIsLost: Cause = {
  what: 'WhatsApp takes a message, closes the connection, and sends no status updates',
  alerts: () => [{ alert: 'MostradorMessagesUnknown' }],
  async begin({ must, stores: [, store] }) {
    const { phone } = store;
    const { webhookUrl } = phone;
    phone.webhookUrl = null;
    phone.server.next({ answer: 'reset' });
    await must(store, 'POST', `/leads/${store.leads[1]?.id}/messages`, { message: 'Did it arrive?' });
    return async () => {
      // The status updates come, which settles the message.
      phone.webhookUrl = webhookUrl;
    };
  },
};

export const payloadIsUnreadable: Cause = {
  what: 'a webhook of WhatsApp has a message that cannot be read',
  alerts: () => [{ alert: 'MostradorInboundFailed' }],
  async begin({ platform, stores: [{ phone, leads }] }) {
    const payload = inboundPayload(phone.number, [{ from: leads[0]?.phone as string, text: 'x' }]);
    const [
      {
        changes: [{ value }],
      },
    ] = payload.entry as never as [{ changes: [{ value: { messages: unknown } }] }];
    value.messages = [{ nonsense: true }];
    await phone.post(payload);
    return () => admin(platform, 'waiting', 'give-up', '--all-stores', '--kind', 'inbound_payload');
  },
};

export const messageBudgetIsUsedUp: Cause = {
  what: 'a store has no budget left for messages',
  alerts: () => [{ alert: 'MostradorMessageBudgetUsedUp', labels: { stores: '1' } }],
  async begin({ call, stores: [, , { id }] }) {
    await call(updateMessagingSettings, { body: { monthly_budget: 0 } }, id);
    return () => call(updateMessagingSettings, { body: { monthly_budget: null } }, id);
  },
};

const toCalendar = 'scheduling → calendar';

export const calendarIsDown: Cause = {
  what: 'the calendar of a store resets every connection; one appointment is two hours old',
  alerts: () => [{ alert: 'MostradorCalendarSyncStuck' }, ...each('MostradorProviderDown', 'service', ['scheduling'])],
  mayFire: () => each('MostradorProviderErrors', 'provider', ['caldav']),
  async begin({ platform, must, sql, stores: [store] }) {
    await platform.ways.trouble(toCalendar, 'resets');
    const ids: string[] = [];
    for (let day = 1; day <= 6; day += 1) {
      const scheduled_at = new Date(Date.now() + day * 86_400_000).toISOString();
      const { id } = await must<{ id: string }>(store, 'POST', '/appointments', { title: 'Drill', scheduled_at });
      ids.push(id);
    }
    await sql`
      update scheduling.calendar_syncs set requested_at = now() - interval '2 hours'
      where appointment_id = ${ids[0] as string}`;
    return async () => {
      await platform.ways.mend(toCalendar);
      await admin(platform, 'waiting', 'retry', '--all-stores', '--kind', 'calendar_sync');
    };
  },
};

/** "Message undeliverable". */
const undeliverable = { code: 131026, status: 400 } as const;

export const whatsappRefuses: Cause = {
  what: 'WhatsApp refuses every message of a store',
  alerts: () => each('MostradorProviderErrors', 'provider', ['whatsapp_cloud']),
  async begin({ ask, repeat, stores: [store] }) {
    const { server } = store.phone;
    server.always({ refuse: undeliverable });
    const messages = repeat(1_000, () =>
      ask(store, 'POST', `/leads/${store.leads[1]?.id}/messages`, { message: 'Hello again.' }),
    );
    return async () => {
      server.always({});
      await messages();
    };
  },
};

/** The leads of a store write, one after the other. */
const leadsWrite = ({ repeat, writes }: Scene, store: Scene['stores'][number]) => {
  let next = 0;
  return repeat(1_500, async () => {
    next += 1;
    await writes(store, store.leads[next % store.leads.length] as ChaosLead, `Question ${next}?`);
  });
};

export const modelFails: Cause = {
  what: 'the model of a store resets every connection, while leads write',
  alerts: () => each('MostradorAiModelFails', 'provider', ['openai_compatible']),
  async begin(scene) {
    await scene.platform.ways.trouble(modelWay, 'resets');
    const writing = leadsWrite(scene, scene.stores[2]);
    return async () => {
      await scene.platform.ways.mend(modelWay);
      await writing();
    };
  },
};

export const embedderFails: Cause = {
  what: 'nothing listens at the embedder of a store that adds documents',
  alerts: () => [{ alert: 'MostradorAiEmbedderFails' }],
  async begin({ call, ask, repeat, stores: [, , store] }) {
    const body = { url: `http://127.0.0.1:${await freePort()}/v1`, model: 'none' };
    await call(connectEmbedder, { body }, store.id);
    let number = 0;
    const documents = repeat(2_000, () => {
      number += 1;
      const document = { title: `Document ${number}`, content: `We open at ${number} and close later.` };
      return ask(store, 'POST', '/knowledge/documents', document);
    });
    return async () => {
      await documents();
      await call(disconnectEmbedder, {}, store.id);
    };
  },
};

export const aiBudgetIsReached: Cause = {
  what: 'the AI of a store has used up its calls of the day',
  alerts: () => [{ alert: 'MostradorAiBudgetReached', labels: { stores: '1' } }],
  async begin({ call, writes, stores: [, store] }) {
    await call(updateAssistantSettings, { body: { ai_daily_calls: 0 } }, store.id);
    await writes(store, store.leads[0] as ChaosLead, 'Are you open?');
    return () => call(updateAssistantSettings, { body: { ai_daily_calls: 1_000 } }, store.id);
  },
};

export const receiversFail: Cause = {
  what: 'the receivers of all webhooks answer 500',
  alerts: () => [{ alert: 'MostradorWebhookFailing' }, { alert: 'MostradorWebhooksNoneDelivered' }],
  async begin({ platform, endpoint, repeat, must, stores: [store] }) {
    const receivers: Awaited<ReturnType<Scene['endpoint']>>[] = [];
    for (let count = 0; count < 6; count += 1) receivers.push(await endpoint(store, { status: 500 }));
    let number = 0;
    const changes = repeat(2_000, () => {
      number += 1;
      return must(store, 'PATCH', `/leads/${store.leads[0]?.id}`, { name: `Ana ${number}` });
    });
    return async () => {
      await changes();
      for (const receiver of receivers) receiver.answer(() => ({ status: 200 }));
      await admin(platform, 'waiting', 'retry', '--all-stores', '--kind', 'webhook_delivery');
    };
  },
};

export const receiverIsGone: Cause = {
  what: 'the receiver of a webhook answers 410',
  alerts: () => [{ alert: 'MostradorWebhookEndpointDisabled' }],
  async begin({ endpoint, must, stores: [, store] }) {
    await endpoint(store, { status: 410 });
    await must(store, 'PATCH', `/leads/${store.leads[0]?.id}`, { name: 'Ana whose receiver is gone' });
    // The alert is about the last hour, so it ends by itself.
    return async () => {};
  },
};
