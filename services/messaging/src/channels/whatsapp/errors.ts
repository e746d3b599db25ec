import type { StatusUpdate } from '../channel-provider.ts';
import { ChannelError, type ChannelErrorKind } from '../channel-provider.ts';

type Meaning = {
  readonly kind: ChannelErrorKind;
  readonly detail: string;
  readonly code?: string;
  readonly scope?: 'pair' | 'number';
  readonly optOut?: 'marketing';
  /** The delay when the answer has no `Retry-After`. */
  readonly retryAfterSeconds?: number;
};

const token = meaning('channel', 'WhatsApp rejects the access token. Connect the channel with a new one.');
const permission = meaning('channel', 'The access token lacks a permission. Connect the channel with one that has it.');
const unknownNumber = meaning('channel', 'The phone number id is unknown, or the access token has no access to it.');
const unregistered = meaning('channel', 'The number is not registered with WhatsApp. Register it in WhatsApp Manager.');
const locked = meaning('channel', 'WhatsApp has locked or restricted the account. WhatsApp Manager says why.');
const unpaid = meaning(
  'channel',
  'WhatsApp has a problem with the payment of the account. Repair it in WhatsApp Manager.',
);
const unnamed = meaning('channel', 'WhatsApp has not approved the display name of the number. Have it approved first.');
const parameter = meaning('refused', 'WhatsApp rejects a parameter of the message or its template.');
const policy = meaning('refused', 'WhatsApp does not deliver this message because of its policies.');
const numberThrottled: Meaning = {
  ...meaning('throttled', 'WhatsApp limits the rate of messages from this number.'),
  scope: 'number',
};
const serverFault = meaning('not_sent', 'WhatsApp had an internal error and did not accept the message.');

/**
 * What each of Meta's error codes means for a send, in an answer or a status update. `channel`: the fault is of the
 * account, the number or the token, so that no message would be sent. `refused`: it is of this message or this customer.
 * `throttled` and `not_sent`: it passes by itself.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes
 */
const meanings: Readonly<Record<number, Meaning>> = {
  0: token,
  102: token,
  190: token,
  3: permission,
  10: permission,
  131005: permission,
  33: unknownNumber,
  131045: unregistered,
  133010: unregistered,
  368: locked,
  131031: locked,
  131042: unpaid,
  131037: unnamed,

  131047: {
    ...meaning('refused', 'The reply window is closed. Wait until the customer writes again, or use a template.'),
    code: 'messaging_window_closed',
  },
  131026: meaning('refused', 'WhatsApp cannot deliver messages to this number.'),
  131049: policy,
  131062: meaning(
    'refused',
    'WhatsApp does not send this kind of message to a customer without a phone number. Send another one.',
  ),
  131050: {
    ...meaning(
      'refused',
      'The customer has stopped marketing messages in WhatsApp. Wait until they resume them there.',
    ),
    optOut: 'marketing',
  },
  // Only for customers of some countries.
  130497: policy,
  100: parameter,
  131008: parameter,
  132000: template('WhatsApp expects another number of parameters for this template. Send as many as it has.'),
  132001: template('WhatsApp has no approved template with this name in this language. Check both.'),
  132005: template('The template with its parameters is too long. Send shorter ones.'),
  132007: template('WhatsApp rejects the text of the template because of its policies. Use another template.'),
  132012: template('A parameter of the template has the wrong format. Send it as the template defines it.'),
  132015: template('WhatsApp paused the template because customers rated it poorly. Use another one.'),
  132016: template('WhatsApp disabled the template because it was paused too often. Use another one.'),

  4: numberThrottled,
  80007: numberThrottled,
  130429: numberThrottled,
  131056: {
    ...meaning('throttled', 'WhatsApp limits the rate of messages to this customer.'),
    scope: 'pair',
    retryAfterSeconds: 6,
  },
  131048: {
    ...meaning('throttled', 'WhatsApp limits this number because customers reported or blocked its messages.'),
    scope: 'number',
    retryAfterSeconds: 3600,
  },
  131057: {
    ...meaning('throttled', 'WhatsApp maintains the account, and accepts no messages meanwhile.'),
    scope: 'number',
    retryAfterSeconds: 60,
  },
  2: serverFault,
  131000: serverFault,
  131016: serverFault,
  133004: serverFault,
};

/** The part of Meta's error that this service reads. It ignores Meta's text, which may quote the customer's number. */
export type WhatsappError = { readonly code: number; readonly subcode?: number; readonly status?: number };

function meaningOf({ code, subcode, status = 0 }: WhatsappError): Meaning {
  if (code === 100 && subcode === 33) return unknownNumber;
  const known = meanings[code];
  if (known) return known;
  if (code >= 200 && code <= 299) return permission;
  if (code >= 132000 && code <= 132999) return parameter;
  if (code >= 133000 && code <= 133999) return unregistered;
  if (status === 401) return token;
  if (status === 429) return numberThrottled;
  if (status >= 500) return serverFault;
  return meaning('refused', 'WhatsApp rejected the message.');
}

/** The `ChannelError` of a refusal. `retryAfterSeconds` from the answer takes precedence over the table. */
export function channelErrorOf(error: WhatsappError, retryAfterSeconds?: number): ChannelError {
  const { kind, detail, scope, optOut, ...known } = meaningOf(error);
  const after = retryAfterSeconds ?? known.retryAfterSeconds;
  return new ChannelError(kind, known.code ?? codeOf(error), detailOf(detail, error), {
    // What one store's account causes says nothing about WhatsApp, also when it comes with a 500.
    outage: kind !== 'channel' && (error.status ?? 0) >= 500,
    ...(scope && { scope }),
    ...(optOut && { optOut }),
    ...(after !== undefined && { retryAfterSeconds: after }),
  });
}

/** The error of a `failed` status update. */
export function failureOf(code: number): NonNullable<StatusUpdate['error']> {
  const error = { code };
  const { kind, detail, code: known, optOut } = meaningOf(error);
  return {
    code: known ?? codeOf(error),
    detail: detailOf(detail, error),
    ...(optOut && { optOut }),
    ...(kind === 'channel' && { ofChannel: true }),
  };
}

const codeOf = ({ code }: WhatsappError): string => `whatsapp_${code}`;
const detailOf = (detail: string, { code }: WhatsappError): string => `${detail} (WhatsApp ${code})`;

function template(detail: string): Meaning {
  return meaning('refused', detail);
}

function meaning(kind: ChannelErrorKind, detail: string): Meaning {
  return { kind, detail };
}
