/** What an error code stands for. `retryable`: the same request may succeed later without being changed. */
export type ErrorDefinition = {
  readonly status: number;
  readonly title: string;
  readonly description: string;
  readonly retryable: boolean;
};

/**
 * The one catalogue of errors: every code that the API answers, its HTTP status and its documentation.
 * Codes are stable; texts may change.
 */
export const errorCatalogue = {
  missing_api_key: {
    status: 401,
    title: 'API key missing',
    description: 'The request has no `X-API-Key` header.',
    retryable: false,
  },
  invalid_api_key: {
    status: 401,
    title: 'API key not valid',
    description: 'The key is unknown, revoked or expired. All three look the same from outside.',
    retryable: false,
  },
  quota_exceeded: {
    status: 429,
    title: 'Too many requests',
    description: 'The key has used up its rate. `Retry-After` says in how many seconds the next request fits.',
    retryable: true,
  },
  route_not_found: {
    status: 404,
    title: 'No such route',
    description: 'Nothing is served at this path.',
    retryable: false,
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    description: 'The path exists, but not with this method. `Allow` lists the methods that it has.',
    retryable: false,
  },
  tier_required: {
    status: 403,
    title: 'Store tier too low',
    description: 'The operation needs a higher store tier; `required_tier` says which.',
    retryable: false,
  },
  scope_required: {
    status: 403,
    title: 'Key lacks the scope',
    description: 'The key was made without the scope that the operation needs; `required_scope` says which.',
    retryable: false,
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    description: 'A request body may have at most 256 KiB.',
    retryable: false,
  },
  unsupported_media_type: {
    status: 415,
    title: 'Media type not supported',
    description: 'Bodies are JSON: `Content-Type: application/json`.',
    retryable: false,
  },
  malformed_json: {
    status: 400,
    title: 'Body is not JSON',
    description: 'The body could not be parsed as JSON.',
    retryable: false,
  },
  malformed_request: {
    status: 400,
    title: 'Not a well-formed HTTP request',
    description: 'The request line, the path or a header could not be understood.',
    retryable: false,
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    description: 'The headers of a request may have at most 16 KiB together.',
    retryable: false,
  },
  request_timeout: {
    status: 408,
    title: 'Request not complete in time',
    description: 'The request did not arrive whole within the time a request may take.',
    retryable: true,
  },
  validation_failed: {
    status: 400,
    title: 'Request not valid',
    description:
      'Something in the body, the query, the path or a header is not valid. `errors` lists every fault at once: ' +
      '`{ pointer, detail }` for the body (a JSON Pointer as a URI fragment), `{ in, name, detail }` elsewhere.',
    retryable: false,
  },
  lead_not_found: {
    status: 404,
    title: 'Lead not found',
    description: 'The store has no lead with this id.',
    retryable: false,
  },
  lead_exists: {
    status: 409,
    title: 'Lead exists',
    description: 'The store already has a lead with this phone; `id` is its id.',
    retryable: false,
  },
  seller_not_found: {
    status: 404,
    title: 'Seller not found',
    description: 'The store has no seller with this id.',
    retryable: false,
  },
  seller_inactive: {
    status: 422,
    title: 'Seller inactive',
    description: 'An inactive seller cannot be made responsible for a lead.',
    retryable: false,
  },
  agent_not_found: {
    status: 404,
    title: 'Agent not found',
    description: 'The store has no agent with this id.',
    retryable: false,
  },
  default_agent_exists: {
    status: 409,
    title: 'Default agent exists',
    description: 'A store has one default agent at most; `id` is the one that it has.',
    retryable: false,
  },
  document_not_found: {
    status: 404,
    title: 'Document not found',
    description: 'The store has no knowledge document with this id.',
    retryable: false,
  },
  appointment_not_found: {
    status: 404,
    title: 'Appointment not found',
    description: 'The store has no appointment with this id.',
    retryable: false,
  },
  appointment_not_scheduled: {
    status: 409,
    title: 'Appointment is final',
    description: 'Only an appointment that is `scheduled` can change; `current_status` says what it is.',
    retryable: false,
  },
  calendar_feed_not_found: {
    status: 404,
    title: 'Calendar feed not found',
    description: 'No calendar feed has this address. An address stops working when the calendar is connected anew.',
    retryable: false,
  },
  calendar_not_connected: {
    status: 404,
    title: 'No calendar connected',
    description: 'The store has no calendar connected.',
    retryable: false,
  },
  calendar_refused: {
    status: 422,
    title: 'Calendar refused the connection',
    description: 'The calendar could not be used with what was given; `detail` says what it answered.',
    retryable: false,
  },
  channel_not_connected: {
    status: 409,
    title: 'No channel connected',
    description: 'The store has no messaging channel connected, or its channel waits for a person.',
    retryable: false,
  },
  messaging_window_closed: {
    status: 422,
    title: 'Reply window closed',
    description: 'The channel takes free text only within 24 hours after the lead last wrote.',
    retryable: false,
  },
  lead_opted_out: {
    status: 422,
    title: 'Lead has opted out',
    description: 'The lead asked for no more messages of this kind.',
    retryable: false,
  },
  lead_replied: {
    status: 409,
    title: 'Lead has replied',
    description: 'The lead wrote after the message was planned, so it was not sent.',
    retryable: false,
  },
  followup_not_found: {
    status: 404,
    title: 'Follow-up not found',
    description: 'The store has no follow-up with this id.',
    retryable: false,
  },
  followup_not_pending: {
    status: 409,
    title: 'Follow-up is not pending',
    description: 'Only a follow-up that is `pending` can be cancelled; `current_status` says what it is.',
    retryable: false,
  },
  message_not_found: {
    status: 404,
    title: 'Message not found',
    description: 'The lead has no message with this id.',
    retryable: false,
  },
  message_not_unknown: {
    status: 409,
    title: 'Outcome is known',
    description: 'Only a message whose outcome is unknown can be settled; `current_status` says what it is.',
    retryable: false,
  },
  session_not_found: {
    status: 404,
    title: 'Session not found',
    description: 'The lead has no session with this id.',
    retryable: false,
  },
  webhook_refused: {
    status: 403,
    title: 'Webhook refused',
    description: 'No channel has this address, or the signature or verify token is not right.',
    retryable: false,
  },
  sandbox_not_found: {
    status: 404,
    title: 'Sandbox not found',
    description: 'No sandbox has this address. An address stops working when the channel is connected anew.',
    retryable: false,
  },
  store_not_found: {
    status: 404,
    title: 'Store not found',
    description: 'There is no store with this id.',
    retryable: false,
  },
  api_key_not_found: {
    status: 404,
    title: 'API key not found',
    description: 'There is no API key with this id.',
    retryable: false,
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key used for another request',
    description: 'The same `Idempotency-Key` was sent before with another body. A key names one request.',
    retryable: false,
  },
  idempotency_in_progress: {
    status: 409,
    title: 'First request still running',
    description: 'A request with this `Idempotency-Key` has not finished yet. Ask again after `Retry-After` seconds.',
    retryable: true,
  },
  version_mismatch: {
    status: 412,
    title: 'Changed in the meantime',
    description: '`If-Match` names another version than the current one. Read the resource again.',
    retryable: false,
  },
  internal_error: {
    status: 500,
    title: 'Our fault',
    description: 'Something failed here. Tell us the `request_id`.',
    retryable: true,
  },
  service_unavailable: {
    status: 503,
    title: 'Service not available',
    description:
      'A part of the platform is not there or full. Nothing was done. Ask again after `Retry-After` seconds.',
    retryable: true,
  },
  upstream_timeout: {
    status: 504,
    title: 'Outcome unknown',
    description:
      'No answer came in time, so the request may or may not have been carried out. ' +
      'Send it again with the same `Idempotency-Key`, or read what became of it.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorDefinition>;

/** A stable error code of the catalogue. */
export type ErrorCode = keyof typeof errorCatalogue;

/** One fault of a request that is not valid. */
export type ValidationFault =
  | { readonly pointer: string; readonly detail: string }
  | { readonly in: 'query' | 'path' | 'header'; readonly name: string; readonly detail: string };

/** An error as it travels over NATS; the gateway renders it as RFC 9457 `application/problem+json`. */
export type WireError = {
  readonly code: ErrorCode;
  readonly detail: string;
  /** Further members of the problem document, such as `errors`, `current_status` or `id`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Seconds for `Retry-After`. */
  readonly retry_after?: number;
};
