import { ChannelError, type ChannelErrorKind } from '../channel-provider.ts';

type Meaning = {
  readonly kind: ChannelErrorKind;
  readonly detail: string;
  readonly code?: string;
  readonly scope?: 'pair' | 'number';
  /** When the answer does not say how long. */
  readonly retryAfterSeconds?: number;
};

const token = meaning('channel', 'WhatsApp does not accept the access token.');
const permission = meaning('channel', 'The access token lacks a permission that sending needs.');
const parameter = meaning('refused', 'WhatsApp does not accept a parameter of the message or its template.');
const numberThrottled: Meaning = {
  ...meaning('throttled', 'WhatsApp asks for fewer messages from this number.'),
  scope: 'number',
};
const serverFault = meaning('not_sent', 'WhatsApp had a fault of its own and did not take the message.');
const policy = meaning('refused', 'WhatsApp does not deliver this message for a reason of policy.');
const locked = meaning('refused', 'WhatsApp has locked or restricted the account or the number.');

/** Meta's error codes and what each asks of us. Everything about them stands here. */
const meanings: Readonly<Record<number, Meaning>> = {
  0: token,
  190: token,
  10: permission,
  4: numberThrottled,
  80007: numberThrottled,
  130429: numberThrottled,
  131056: {
    ...meaning('throttled', 'WhatsApp asks for fewer messages to this customer.'),
    scope: 'pair',
    retryAfterSeconds: 6,
  },
  131048: {
    ...meaning('throttled', 'WhatsApp limits this number, as too many of its messages were reported or blocked.'),
    scope: 'number',
    retryAfterSeconds: 3600,
  },
  131047: {
    ...meaning('refused', 'More than 24 hours have passed since the customer last wrote.'),
    code: 'messaging_window_closed',
  },
  131026: meaning('refused', 'The message cannot be delivered to this number.'),
  131049: policy,
  131050: meaning('refused', 'The customer does not want messages of this kind.'),
  130497: policy,
  368: locked,
  131031: locked,
  2: serverFault,
  131000: serverFault,
  131016: serverFault,
  100: parameter,
  131008: parameter,
};

/** The part of an error that is read: Meta's own words are not, for they may quote the number. */
export type WhatsappError = { readonly code: number; readonly subcode?: number; readonly status?: number };

function meaningOf({ code, subcode, status = 0 }: WhatsappError): Meaning {
  // The number's id in the address is unknown, or not this token's.
  if (code === 100 && subcode === 33)
    return meaning('channel', 'The phone number id is unknown, or not of this token.');
  const known = meanings[code];
  if (known) return known;
  if (code >= 200 && code <= 299) return permission;
  if (code >= 132000 && code <= 132999) return parameter;
  if (status === 429) return numberThrottled;
  if (status >= 500) return serverFault;
  return meaning('refused', 'WhatsApp refused the message.');
}

/** What a refusal means. `retryAfterSeconds` is what the answer asked for, which wins. */
export function channelErrorOf(error: WhatsappError, retryAfterSeconds?: number): ChannelError {
  const { kind, detail, scope, ...known } = meaningOf(error);
  const after = retryAfterSeconds ?? known.retryAfterSeconds;
  return new ChannelError(kind, known.code ?? codeOf(error), detailOf(detail, error), {
    ...(scope && { scope }),
    ...(after !== undefined && { retryAfterSeconds: after }),
  });
}

/** Why a message failed, as a status report has it: a code of ours and what it means. */
export function failureOf(code: number): { code: string; detail: string } {
  const error = { code };
  const { detail, code: known } = meaningOf(error);
  return { code: known ?? codeOf(error), detail: detailOf(detail, error) };
}

const codeOf = ({ code }: WhatsappError): string => `whatsapp_${code}`;
const detailOf = (detail: string, { code }: WhatsappError): string => `${detail} (WhatsApp ${code})`;

function meaning(kind: ChannelErrorKind, detail: string): Meaning {
  return { kind, detail };
}
