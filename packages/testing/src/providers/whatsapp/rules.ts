// The rules of the WhatsApp Cloud API for senders, with the error code of each refusal.

export type Refusal = {
  readonly code: number;
  readonly subcode?: number;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
};

export type SendRequest = {
  readonly to: string;
  readonly type: 'text' | 'template';
  readonly text: string;
  readonly template: string | null;
  /** Of a template; else empty. */
  readonly language: string;
  readonly components: readonly Record<string, unknown>[];
  readonly callbackData: string | null;
};

type Json = Record<string, unknown>;

/** Reads a send request. Returns a refusal when it is invalid. */
export function readSendRequest(body: unknown): SendRequest | Refusal {
  const { messaging_product, recipient_type, type, text, template, biz_opaque_callback_data, ...given } = (body ??
    {}) as Json;
  // `to` takes precedence.
  const to = given.to ?? given.recipient;
  const form = given.to === undefined ? /^[A-Z]{2}\.[A-Za-z0-9.]{1,132}$/ : /^[0-9]{5,20}$/;
  if (messaging_product !== 'whatsapp' || typeof to !== 'string' || !form.test(to)) return { code: 100 };
  if (recipient_type !== undefined && recipient_type !== 'individual') return { code: 100 };
  const callbackData = biz_opaque_callback_data ?? null;
  if (callbackData !== null && (typeof callbackData !== 'string' || callbackData.length > 512)) return { code: 100 };
  if (type === 'text') {
    const said = (text as Json | undefined)?.body;
    if (typeof said !== 'string' || said === '' || said.length > 4096) return { code: 100 };
    return { to, type, text: said, template: null, language: '', components: [], callbackData };
  }
  if (type !== 'template') return { code: 100 };
  const { name, language, components = [] } = (template ?? {}) as Json;
  const code = (language as Json | undefined)?.code;
  if (typeof name !== 'string' || typeof code !== 'string' || !Array.isArray(components)) return { code: 132000 };
  return { to, type, text: '', template: name, language: code, components, callbackData };
}

const statuses: Readonly<Record<number, number>> = {
  0: 401,
  190: 401,
  3: 500,
  10: 403,
  368: 403,
  131005: 403,
  131031: 403,
  4: 429,
  80007: 429,
  130429: 429,
  131056: 429,
  2: 503,
  131016: 503,
  131000: 500,
};

/** The HTTP answer with Meta's error body. */
export function refusalAnswer({ code, subcode, status, retryAfterSeconds }: Refusal, to: string) {
  return {
    status: status ?? statuses[code] ?? (code >= 200 && code <= 299 ? 403 : 400),
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: JSON.stringify({
      error: {
        // Meta's text quotes the customer's number, which must not reach our logs.
        message: `(#${code}) Message to ${to} was not sent`,
        type: 'OAuthException',
        code,
        ...(subcode !== undefined && { error_subcode: subcode }),
        error_data: { messaging_product: 'whatsapp', details: `Message to ${to} was not sent.` },
        fbtrace_id: 'AbCdEfGhIjKlMnOp',
      },
    }),
  };
}

/** A token bucket with room for `burst` that gains one token every `intervalMs`. */
export type Bucket = { take(nowMs: number): boolean };

export function createBucket({ burst, intervalMs }: { burst: number; intervalMs: number }): Bucket {
  let level = burst;
  let at = 0;
  return {
    take(nowMs) {
      level = Math.min(burst, level + (intervalMs > 0 ? (nowMs - at) / intervalMs : burst));
      at = nowMs;
      if (level < 1) return false;
      level -= 1;
      return true;
    },
  };
}
