import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from './api.ts';
import type { Line } from './conversation.ts';
import { addAppointment, addLead, type EvalLead, type EvalStore } from './store.ts';

/** What a customer, or the store, said. `outcome`: how the AI took the message, with why. */
export type Said = { readonly from: 'customer' | 'store' | 'event'; readonly text: string };

const types = 'assistant.replied,assistant.silent,assistant.handed_over,message.sent,message.failed';

export type Customer = ReturnType<typeof createCustomer>;

/** A customer on the sandbox telephone, who waits for each answer. */
export function createCustomer(
  store: EvalStore,
  lead: EvalLead,
  { answerWithinMs }: { readonly answerWithinMs: number },
) {
  const { api, telephone } = store;
  const said: Said[] = [];
  const ends: Json[] = [];
  const sent = new Set<string>();
  let after = 0;

  async function write(body: object): Promise<void> {
    const answer = await fetch(`${telephone}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ customer_phone: lead.phone, name: lead.name, ...body }),
    });
    if (!answer.ok) throw new Error(`the telephone answered ${answer.status}: ${await answer.text()}`);
  }

  /** Waits until the AI has answered once more, and the customer has the answer. */
  async function untilAnswered(): Promise<void> {
    const before = ends.length;
    const until = Date.now() + answerWithinMs;
    for (;;) {
      const end = ends[before];
      if (end && (end.type === 'assistant.silent' || sent.has(end.data.message_id))) break;
      if (Date.now() > until) throw new Error(`no answer within ${answerWithinMs / 1000} s`);
      const { data, next } = await api('GET', `/events?after=${after}&wait=5&limit=100&types=${types}`);
      after = next;
      for (const event of data.filter(({ data: { lead_id } }: Json) => lead_id === lead.id)) {
        if (event.type.startsWith('message.')) sent.add(event.data.message_id);
        else ends.push(event);
      }
    }
    const { type, data } = ends[before];
    if (type === 'assistant.silent') return void said.push({ from: 'event', text: `silent: ${data.reason}` });
    const { body } = await api('GET', `/leads/${lead.id}/messages/${data.message_id}`);
    said.push({ from: 'store', text: body });
    if (type === 'assistant.handed_over') said.push({ from: 'event', text: `handed over: ${data.reason}` });
    // Only what was sent before the next message, by a clock of milliseconds, is offered to the customer.
    await pause(2);
  }

  return {
    said,
    ends,
    async next(line: Line): Promise<void> {
      if (typeof line !== 'string' && 'takes' in line) {
        await addAppointment(store, await addLead(api, 'Another'), line.takes);
        return void said.push({ from: 'event', text: `${line.takes.time} is taken by another customer` });
      }
      const text = typeof line === 'string' ? atDays(line, store) : (line.caption ?? '');
      said.push({ from: 'customer', text: typeof line === 'string' ? text : `[${line.sends}] ${text}`.trim() });
      await write({ ...(text !== '' && { text }), ...(typeof line !== 'string' && { type: line.sends }) });
      await untilAnswered();
    },
    /** Presses a button with this title. */
    async press(title: string): Promise<void> {
      said.push({ from: 'customer', text: `[presses] ${title}` });
      await write({ type: 'interactive_reply', text: title, content: { kind: 'button', title } });
      await untilAnswered();
    },
    /** Quotes an own message of this text. */
    async quote(quoted: string, text: string): Promise<void> {
      const { data } = await api('GET', `/leads/${lead.id}/messages`);
      const { id } = data.find(({ body, direction }: Json) => direction === 'inbound' && body === quoted);
      said.push({ from: 'customer', text: `[quotes] ${text}` });
      await write({ text, reply_to_id: id });
      await untilAnswered();
    },
    isHandedOver: (): boolean => ends.some(({ type }) => type === 'assistant.handed_over'),
  };
}

/** `{day+3}` becomes the name of the weekday in three days, in the language of the store. */
export const atDays = (text: string, { locale, dayOf }: Pick<EvalStore, 'locale' | 'dayOf'>): string =>
  text.replaceAll(/\{day\+(\d+)\}/g, (_, days: string) =>
    new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(new Date(dayOf(Number(days)))),
  );
