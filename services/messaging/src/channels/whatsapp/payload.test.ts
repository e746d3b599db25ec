import {
  type Customer,
  contents,
  entriesPayload,
  historyPayload,
  preferencePayload,
  standbyPayload,
} from '@mostrador/testing/providers/whatsapp/entries';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { notification, textFrom, withoutPhone, withUserId } from '../../../test/inbound-webhook.ts';
import { readNotification } from './payload.ts';

const number = '123456789012345';
const customer = '5511988887777';
const now = new Date('2026-11-21T12:00:00Z');
const read = (payload: unknown) => readNotification(payload, number, now);
const one = (message: object) =>
  read(notification(number, { messages: [{ from: customer, id: 'wamid.1', timestamp: '1795000000', ...message }] }))
    .messages[0];

test('a text is read with its customer, name and time', () => {
  const at = new Date('2026-11-21T11:59:58Z');
  const payload = notification(number, textFrom(customer, 'Olá! 👋', { id: 'wamid.1', name: 'Ana', at }));
  expect(read(payload)).toEqual({
    messages: [
      {
        ...{ providerMessageId: 'wamid.1', waId: customer, userId: null },
        ...{ name: 'Ana', kind: 'text', body: 'Olá! 👋', writtenAt: at },
      },
    ],
    statuses: [],
    unreadable: 0,
  });
});

test('a batch is read from all its arrays, in order', () => {
  const texts = ['1', '2', '3'].map((body) => textFrom(customer, body));
  const [first, second, third] = texts as [object, object, { messages: object[] }];
  const payload = notification(number, first, {
    ...second,
    messages: [...(textFrom(customer, '2').messages ?? []), ...third.messages],
  });
  expect(read(payload).messages.map(({ body }) => body)).toEqual(['1', '2', '3']);
});

test('an error without a message counts if it is the fault of the channel, and of this number', () => {
  const errors = [{ code: 131031, title: 'x' }, { code: 130429 }, { code: null }, { code: '' }, 7, null];
  const error = { code: 'whatsapp_131031', detail: expect.any(String) };
  expect(read(notification(number, { errors } as never))).toMatchObject({
    messages: [],
    statuses: [],
    effects: [{ kind: 'fault', at: now, error }],
    unreadable: 0,
  });
  expect(read(notification('999999999999999', { errors } as never)).effects).toBeUndefined();
});

test('an entry of another number or field is skipped', () => {
  const payload = notification(number, textFrom(customer, 'mine'));
  payload.entry[0]?.changes.push({ ...payload.entry[0].changes[0], field: 'account_update' } as never);
  payload.entry.push(...notification('999999999999999', textFrom(customer, 'theirs')).entry);
  expect(read(payload).messages.map(({ body }) => body)).toEqual(['mine']);
});

test('what another sender of the number holds is told apart, and a malformed entry of it hides nothing', () => {
  const { messages = [], contacts } = textFrom(customer, 'Olá');
  const own = { ...messages[0], from: '5511400000000', to: customer, id: 'wamid.echo' };
  const odd = [null, {}, { id: 7, type: 'text' }] as object[];
  const payload = notification(number, { contacts, messages: [...odd, ...messages], message_echoes: [...odd, own] });
  const { messages: found, unreadable } = read(standbyPayload(payload));
  const of = { isOnStandby: true, waId: customer };
  expect(found).toMatchObject([of, { ...of, isEcho: true }]);
  expect(unreadable).toBe(6);
});

test('a thread of the past is read with its oldest message first', () => {
  const store = { phoneNumberId: number, phone: '5511400000000' };
  const days = [1, 3, 2];
  const messages = days.map((day) => ({ content: contents.text(`${day}`), at: new Date(+now - day * 24 * 3_600_000) }));
  const { effects } = read(historyPayload(store, [{ customer: { phone: customer }, messages }]));
  expect(effects?.[0]).toMatchObject({ kind: 'history', messages: [{ body: '3' }, { body: '2' }, { body: '1' }] });
});

const standby = (lists?: object) => {
  const metadata = { display_phone_number: '5511400000000', phone_number_id: number };
  const value = { messaging_product: 'whatsapp', metadata, ...(lists && { standby: lists }) };
  return read({ entry: [{ changes: [{ field: 'standby', value }] }] });
};
test.each([
  ['a text without a type', { to: customer, text: { body: 'Oi' } }, { waId: customer, kind: 'text', body: 'Oi' }],
  [
    'a text with buttons',
    { to: customer, type: 'interactive', interactive: { type: 'button', body: { text: 'Qual?' }, action: {} } },
    { waId: customer, kind: 'text', body: 'Qual?' },
  ],
  [
    'a picture to a customer without a phone, with a quote',
    {
      recipient: 'BR.1',
      type: 'image',
      image: { link: 'https://x', caption: 'A' },
      context: { message_id: 'wamid.0' },
    },
    { waId: null, userId: 'BR.1', kind: 'image', body: 'A', quotedId: 'wamid.0' },
  ],
])('%s that another sender of the number sent is read from its request', (_, message, expected) => {
  const { messages, unreadable } = standby({ message_echoes: [{ id: 'wamid.1', timestamp: '1795000000', message }] });
  expect(messages).toMatchObject([
    { ...expected, isEcho: true, isOnStandby: true, writtenAt: new Date(1795000000_000) },
  ]);
  expect(unreadable).toBe(0);
});

test('what another sender wrote into a group, and an empty list of it, say nothing, and no list is unreadable', () => {
  const message = { to: 'HBgKMTY1', recipient_type: 'group', type: 'text', text: { body: 'Olá' } };
  const nothing = { messages: [], unreadable: 0 };
  expect(standby({ message_echoes: [{ id: 'wamid.1', timestamp: '1795000000', message }] })).toMatchObject(nothing);
  expect(standby({})).toMatchObject(nothing);
  expect(standby()).toMatchObject({ messages: [], unreadable: 1 });
});

test.each([
  [{ type: 'image', image: { id: '1', caption: 'Look' } }, 'image', 'Look'],
  [{ type: 'audio', audio: { id: '1' } }, 'audio', ''],
  [{ type: 'button', button: { text: 'Yes', payload: 'y' } }, 'button', 'Yes'],
  [
    { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Cut' } } },
    'interactive',
    'Cut',
  ],
  [{ type: 'hologram', hologram: { depth: 3 } }, 'hologram', ''],
  [{ type: 'text' }, 'text', ''],
  [{}, 'unknown', ''],
])('%j is read as %s with the text %j', (message, kind, body) => {
  expect(one(message)).toMatchObject({ kind, body });
});

test('characters that PostgreSQL cannot store are removed, and a long text stays whole', () => {
  expect(one({ type: 'text', text: { body: 'a\0b\ud800' } })?.body).toBe('ab\ufffd');
  expect(one({ type: 'text', text: { body: '👋'.repeat(5000) } })?.body).toBe('👋'.repeat(5000));
});

test('the contact’s `wa_id` identifies a sender whose `from` differs', () => {
  const payload = notification(number, { ...textFrom('551188887777', 'x'), contacts: [{ wa_id: customer }] });
  expect(read(payload).messages[0]).toMatchObject({ waId: customer, name: null });
});

const userId = 'BR.13491208655302741918';

test('the single contact of a value is not taken for the sender of another customer’s entry', () => {
  const contacts = [{ profile: { name: 'Ana' }, wa_id: customer, user_id: 'BR.1' }];
  const entry = (id: string, more: object) => ({
    id,
    timestamp: '1795000000',
    type: 'text',
    text: { body: id },
    ...more,
  });
  const senders = (messages: object[]) =>
    read(notification(number, { contacts, messages } as never)).messages.map(({ waId, userId, name }) => [
      waId,
      userId,
      name,
    ]);
  const other = '5521988887777';
  expect(senders([entry('1', { from: customer }), entry('2', { from: other })])).toEqual([
    [customer, 'BR.1', 'Ana'],
    [other, null, null],
  ]);
  expect(senders([entry('1', { from_user_id: 'BR.2' }), entry('2', { from: customer })])).toEqual([
    [null, 'BR.2', null],
    [customer, 'BR.1', 'Ana'],
  ]);
  // `from` may differ from the `wa_id` of one customer.
  const from = '551188887777';
  expect(senders([entry('1', { from }), entry('2', { from })]).map(([waId]) => waId)).toEqual([customer, customer]);
  const thread = (id: string) => ({ id, messages: [entry(`past ${id}`, { from: id })] });
  const past = historyPayload({ phoneNumberId: number, phone: '5511400000000' }, []) as never as {
    entry: [{ changes: [{ value: { contacts?: object[]; history: { threads: object[] }[] } }] }];
  };
  const [{ value }] = past.entry[0].changes;
  value.contacts = contacts;
  value.history = [{ threads: [thread(from), thread(other)] }];
  const effects = read(past).effects as never as { messages: [{ name: string | null }] }[];
  expect(effects.map(({ messages }) => messages?.[0].name)).toEqual([null, null]);
});

test('the username is the one in the profile', () => {
  const contacts = [{ profile: { name: 'Ana', username: 'ana.l' }, user_id: userId }];
  const text = withoutPhone(textFrom(customer, 'x'), userId);
  expect(read(notification(number, { ...text, contacts })).messages[0]).toMatchObject({
    name: 'Ana',
    username: 'ana.l',
  });
});

test.each(['', ' ', '\u3164', '\u200b\u2060', '\u2800 \u2800', '\ufe0f', '\t\u0007', '\u202e'])(
  'a profile whose name shows nothing has none: %j',
  (name) => {
    const sender = { name, username: name };
    const content = { ...textFrom(customer, 'x'), contacts: [{ profile: sender, wa_id: customer }] };
    const [message] = read(notification(number, content)).messages;
    expect(message).toMatchObject({ name: null });
    expect(message).not.toHaveProperty('username');
  },
);

test.each(['💇🏽‍♀️', '.', 'ا', '\u202eana', 'Ana \u2764\ufe0f'])('a name of which something shows stays: %j', (name) => {
  const content = { ...textFrom(customer, 'x'), contacts: [{ profile: { name }, wa_id: customer }] };
  expect(read(notification(number, content)).messages[0]).toMatchObject({ name });
});

test('a business-scoped id identifies the sender beside the phone or without it', () => {
  const text = textFrom(customer, 'x', { name: 'Ana' });
  const others = [{ profile: { name: 'Bia' }, user_id: 'BR.2' }];
  const senderOf = (content: ReturnType<typeof textFrom>) => {
    const contacts = [...others, ...(content.contacts ?? [])];
    const { messages, unreadable } = read(notification(number, { ...content, contacts }));
    return { ...messages[0], unreadable };
  };
  expect(senderOf(withUserId(text, userId))).toMatchObject({ waId: customer, userId, name: 'Ana', unreadable: 0 });
  expect(senderOf(withoutPhone(text, userId))).toMatchObject({ waId: null, userId, name: 'Ana', unreadable: 0 });
  const inFrom = { ...text, contacts: [], messages: text.messages?.map((one) => ({ ...one, from: userId })) ?? [] };
  expect(senderOf(inFrom)).toMatchObject({ waId: null, userId, unreadable: 0 });
});

test('a message of the store among those of customers is an echo when it says to whom, by a number or an id', () => {
  const store = { phoneNumberId: number, phone: '5511400000000' };
  const sent = (to: Customer, names: object) => {
    const content = { ...contents.text('x'), from: store.phone, from_user_id: undefined, ...names };
    return read(entriesPayload(store, to, [{ content }]));
  };
  expect(sent({ phone: customer }, { to: customer }).messages[0]).toMatchObject({ isEcho: true, waId: customer });
  expect(sent({ userId }, { to_user_id: userId }).messages[0]).toMatchObject({ isEcho: true, waId: null, userId });
  expect(sent({ phone: store.phone }, {})).toMatchObject({ messages: [], unreadable: 0 });
});

test.each([
  ['no object', null],
  ['an array', []],
  ['no entries', { object: 'whatsapp_business_account' }],
  ['entries that are no array', { entry: {} }],
  ['no changes', { entry: [{}] }],
  ['a change without a field', { entry: [{ changes: [null] }] }],
  ['no value', { entry: [{ changes: [{ field: 'messages' }] }] }],
  ['messages that are no array', notification(number, { messages: {} as never })],
  ['a message without an id', notification(number, { messages: [{ from: customer, type: 'text' }] })],
  ['a message without a sender', notification(number, { messages: [{ id: 'wamid.1', type: 'text' }] })],
  ['a message of another number', notification('999999999999999', textFrom(customer, 'theirs'))],
  ['a status update without an id', notification(number, { statuses: [{ status: 'sent' }] })],
])('what cannot be read is counted: %s', (_, payload) => {
  expect(read(payload)).toEqual({ messages: [], statuses: [], unreadable: 1 });
});

test('what says nothing about a message is not counted as unreadable', () => {
  const statuses = [{ id: 'wamid.1', status: 'warning' }];
  expect(read(notification(number, { statuses })).unreadable).toBe(0);
  expect(read(notification('999999999999999', { statuses })).unreadable).toBe(0);
  expect(read({ entry: [{ changes: [{ field: 'account_update', value: {} }] }] }).unreadable).toBe(0);
});

test.each([
  ['control_passed', { phone_number: customer }, { waId: customer, userId: null }, 'store'],
  ['control_taken', { phone_number: customer }, { waId: customer, userId: null }, 'other'],
  ['control_passed', { user_id: 'BR.1' }, { waId: null, userId: 'BR.1' }, 'store'],
  ['control_passed', {}, undefined, undefined],
  ['control_lent', { phone_number: customer }, undefined, undefined],
  ['toString', { phone_number: customer }, undefined, undefined],
])('a handover that is %s of %j is read', (type, sender, who, owner) => {
  const of = (phone_number_id: string) => {
    const value = { recipient: { phone_number_id }, sender, timestamp: '1795000000', type, [type]: {} };
    return read({ entry: [{ changes: [{ field: 'messaging_handovers', value }] }] });
  };
  const effects = who && [{ kind: 'handover', at: new Date(1795000000_000), customer: who, owner }];
  expect(of(number)).toEqual({ messages: [], statuses: [], unreadable: 0, ...(effects && { effects }) });
  expect(of('999999999999999')).toEqual({ messages: [], statuses: [], unreadable: 1 });
});

const placed = { event: 'connect', direction: 'USER_INITIATED' };
test.each([
  ['that a customer places', { ...placed, from: customer }, { waId: customer, userId: null }],
  ['of a customer without a phone', { ...placed, from_user_id: 'BR.1' }, { waId: null, userId: 'BR.1' }],
  ['that has ended', { ...placed, event: 'terminate', from: customer }, 'nothing'],
  ['of the store', { ...placed, direction: 'BUSINESS_INITIATED', from: number }, 'nothing'],
  ['without a direction', { event: 'connect', from: customer }, 'nothing'],
  ['from an unknown caller', placed, 'unreadable'],
])('a call %s is read', (_, call, who) => {
  const of = (phone_number_id: string) => {
    // The status and the fault are those of a call, whatever they say.
    const statuses = [{ id: 'wacid.1', type: 'call', status: 'failed', timestamp: '1795000000' }];
    const calls = [{ id: 'wacid.1', timestamp: '1795000000', ...call }];
    const value = { metadata: { phone_number_id }, calls, statuses, errors: [{ code: 190 }] };
    return read({ entry: [{ changes: [{ field: 'calls', value }] }] });
  };
  const effects = typeof who === 'object' && [{ kind: 'call', at: new Date(1795000000_000), customer: who }];
  const unreadable = who === 'unreadable' ? 1 : 0;
  expect(of(number)).toEqual({ messages: [], statuses: [], unreadable, ...(effects && { effects }) });
  expect(of('999999999999999')).toEqual({ messages: [], statuses: [], unreadable: 1 });
});

test.each([
  ['message_template_status_update', [{ kind: 'account' }]],
  ['message_template_quality_update', [{ kind: 'account' }]],
  ['message_template_components_update', [{ kind: 'account' }]],
  ['template_category_update', [{ kind: 'account' }]],
  ['account_update', [{ kind: 'account' }]],
  ['account_alerts', [{ kind: 'account' }]],
  ['phone_number_quality_update', [{ kind: 'account' }]],
  ['phone_number_name_update', [{ kind: 'account' }]],
  ['account_review_update', [{ kind: 'account' }]],
  ['business_capability_update', [{ kind: 'account' }]],
  ['business_status_update', [{ kind: 'account' }]],
  ['user_id_update', undefined],
  ['group_lifecycle_update', undefined],
  ['a_field_of_later', undefined],
])('a webhook of the field %s has no message and nothing unreadable, whatever it says', (field, effects) => {
  const values = [{}, null, { messages: textFrom(customer, 'x').messages }];
  for (const value of values) {
    const found = read({ entry: [{ changes: [{ field, value }] }] });
    expect(found).toEqual({ messages: [], statuses: [], unreadable: 0, ...(effects && { effects }) });
  }
});

test('a status update is read with our id and our own text for a failure', () => {
  const base = { recipient_id: customer, timestamp: '1795000000' };
  const statuses = [
    { ...base, id: 'wamid.1', status: 'delivered', biz_opaque_callback_data: 'ours' },
    { ...base, id: 'wamid.2', status: 'failed', errors: [{ code: 131047, title: `to ${customer}` }] },
    { ...base, id: 'wamid.3', status: 'warning' },
  ];
  const found = read(notification(number, { statuses }));
  const told = { at: new Date(1795000000_000), recipient: customer };
  expect(found.statuses).toEqual([
    { ...told, providerMessageId: 'wamid.1', callbackData: 'ours', status: 'delivered' },
    {
      ...told,
      providerMessageId: 'wamid.2',
      callbackData: null,
      status: 'failed',
      error: { code: 'messaging_window_closed', detail: expect.not.stringContaining(customer) },
    },
  ]);
});

test.each([
  [{ recipient_id: customer, recipient_user_id: 'UY.1502576394655843' }, customer],
  [{ recipient_user_id: 'BR.1502576394655843' }, '55'],
  [{ recipient_user_id: 'US.ENT.11815799212886844830' }, '1'],
  [{ recipient_user_id: 'XX.1' }, undefined],
  [{ recipient_user_id: 'brazil' }, undefined],
  [{}, undefined],
])('the market of a message is that of the number, or of the country in the user id: %o', (ids, recipient) => {
  const status = { id: 'wamid.1', status: 'delivered', timestamp: '1795000000', ...ids };
  expect(read(notification(number, { statuses: [status] } as never)).statuses[0]?.recipient).toBe(recipient);
});

test('a status update tells who got the message when it names both ids, by itself or by its contact', () => {
  const told = (status: object, contacts: object[] = []) =>
    read(
      notification(number, {
        contacts,
        statuses: [{ id: 'wamid.1', status: 'read', timestamp: '1795000000', ...status }],
      } as never),
    ).statuses[0]?.customer;
  const both = { waId: customer, userId: 'BR.1' };
  expect(told({ recipient_id: customer, recipient_user_id: 'BR.1' })).toEqual(both);
  expect(
    told({ recipient_id: customer }, [
      { wa_id: '5521988887777', user_id: 'BR.2' },
      { wa_id: customer, user_id: 'BR.1' },
    ]),
  ).toEqual(both);
  expect(told({ recipient_user_id: 'BR.1' }, [{ wa_id: customer, user_id: 'BR.1' }])).toEqual(both);
  expect(told({ recipient_id: customer }, [{ wa_id: '5521988887777', user_id: 'BR.2' }])).toBeUndefined();
  expect(told({ recipient_user_id: 'BR.1' })).toBeUndefined();
});

test('a malformed or future time becomes the current time', () => {
  for (const timestamp of ['1e99', 'soon', '-5', undefined, '99999999999']) {
    expect(one({ timestamp, type: 'text', text: { body: 'x' } })?.writtenAt).toEqual(now);
  }
});

test('a malformed entry never hides the others', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (odd, strange) => {
      const good = textFrom(customer, 'good');
      const payload = notification(number, {
        ...good,
        messages: [...(odd as object[]), ...(good.messages ?? [])],
        statuses: odd,
      });
      payload.entry.unshift(strange as never);
      expect(read(payload).messages.map(({ body }) => body)).toContain('good');
      expect(() => read(strange)).not.toThrow();
    }),
  );
});

const effectsOf = (message: object) => {
  const entry = { from: customer, id: 'wamid.e', timestamp: '1795000000', ...message };
  const { messages, effects, unreadable } = read(notification(number, { messages: [entry] }));
  return { messages, effects, unreadable };
};
const at = new Date(1795000000_000);
const ids = (waId: string | null, userId: string | null = null) => ({ waId, userId });
const change = { eventId: 'wamid.e', targetId: 'wamid.0', at, customer: ids(customer) };

test.each([
  ['a reaction', contents.reaction('wamid.0', '❤️'), { ...change, kind: 'reaction', emoji: '❤️' }],
  ['a removed reaction', contents.removedReaction('wamid.0'), { ...change, kind: 'reaction', emoji: null }],
  ['its earlier form', contents.removedReaction('wamid.0', ''), { ...change, kind: 'reaction', emoji: null }],
  ['an edited text', contents.edit('wamid.0', 'New\0'), { ...change, kind: 'edit', body: 'New' }],
  ['an edited caption', contents.captionEdit('wamid.0', 'New'), { ...change, kind: 'edit', body: 'New' }],
  ['a removed caption', contents.captionEdit('wamid.0'), { ...change, kind: 'edit', body: '' }],
  ['a deletion', contents.revoke('wamid.0'), { ...change, kind: 'revocation' }],
])('%s is a change of the message that it names', (_, content, expected) => {
  expect(effectsOf(content)).toEqual({ messages: [], effects: [{ kind: 'message', change: expected }], unreadable: 0 });
});

const other = '5511977776666';
test.each([
  ['a new number', contents.changedNumber(other), ids(customer), ids(other)],
  [
    'a new number with its user id',
    contents.changedNumber(other, { userId: 'BR.2', previousUserId: 'BR.1' }),
    ids(customer, 'BR.1'),
    ids(other, 'BR.2'),
  ],
  ['a new number in the earlier form', contents.customerChangedNumber(customer, other), ids(customer), ids(other)],
  [
    'a new number in the earliest form',
    { type: 'system', system: { new_wa_id: Number(other), type: 'customer_changed_number' } },
    ids(customer),
    ids(other),
  ],
  [
    'a new user id',
    { ...contents.changedUserId('BR.1', 'BR.2'), from: undefined },
    ids(null, 'BR.1'),
    ids(null, 'BR.2'),
  ],
])('%s is a change of the identity', (_, content, from, to) => {
  const expected = { kind: 'identity', change: { eventId: 'wamid.e', at, from, to } };
  expect(effectsOf(content)).toEqual({ messages: [], effects: [expected], unreadable: 0 });
});

test.each([
  ['a reaction', { type: 'reaction', reaction: { emoji: '👍' } }],
  [
    'an edit of a text without a text',
    { type: 'edit', edit: { original_message_id: 'wamid.0', message: { type: 'text' } } },
  ],
  ['an edit without a message', { type: 'edit', edit: { original_message_id: 'wamid.0' } }],
  ['a deletion', { type: 'revoke', revoke: null }],
  ['a changed number without the new one', { type: 'system', system: { type: 'user_changed_number' } }],
  ['a preference that is neither', contents.changedPreference('later' as never)],
])('%s that cannot be read is counted, and is no message', (_, content) => {
  expect(effectsOf(content)).toEqual({ messages: [], unreadable: 1 });
});

test('a preference about marketing messages is read, and another category says nothing', () => {
  const account = { phoneNumberId: number, phone: '5511400000000' };
  const preference = preferencePayload(account, { phone: customer, userId: 'BR.1' }, 'stop', at);
  const wish = { want: 'stop', scope: 'marketing' };
  expect(read(preference)).toEqual({
    messages: [],
    statuses: [],
    effects: [{ kind: 'opt_out', at, customer: ids(customer, 'BR.1'), wish }],
    unreadable: 0,
  });
  const others = JSON.parse(JSON.stringify(preference).replaceAll('marketing_messages', 'news'));
  expect(read(others)).toEqual({ messages: [], statuses: [], unreadable: 0 });
  expect(read(preferencePayload(account, { phone: customer }, 'resume', at)).effects).toMatchObject([
    { customer: ids(customer), wish: { want: 'start', scope: 'marketing' } },
  ]);
});

test.each([
  ['Stop promotions', { want: 'stop', scope: 'marketing' }],
  ['PARAR PROMOÇÕES', { want: 'stop', scope: 'marketing' }],
  ['Unsubscribe from All', { want: 'stop', scope: 'all' }],
  ['Resume promotions', { want: 'start', scope: 'marketing' }],
  ['Confirm', undefined],
])('the button %j of a template says what the customer stops', (label, optOut) => {
  expect(one(contents.button(label))?.optOut).toEqual(optOut);
  // A store may give it any text, with a payload of its own.
  const payload = label.toUpperCase().replaceAll(' ', '_');
  expect(one(contents.button('🔕', payload))?.optOut).toEqual(optOut);
});
