/** The meaning of an error code. `retryable`: the same request, unchanged, may succeed later. */
export type ErrorDefinition = {
  readonly status: number;
  readonly title: string;
  readonly description: string;
  readonly retryable: boolean;
};

/**
 * The catalogue of errors: every code that the API answers, with its HTTP status and its documentation.
 * Codes are stable; texts may change.
 */
export const errorCatalogue = {
  missing_api_key: {
    status: 401,
    title: 'API key missing',
    description: 'The request has no `X-API-Key` header. Send the API key in it.',
    retryable: false,
  },
  invalid_api_key: {
    status: 401,
    title: 'API key not valid',
    description: 'The API key is unknown, revoked or expired; the answer does not say which. Use a valid key.',
    retryable: false,
  },
  invalid_session: {
    status: 401,
    title: 'Not signed in',
    description: 'There is no session, or it has ended. Sign in with a new login link.',
    retryable: false,
  },
  invalid_login_link: {
    status: 401,
    title: 'Login link not valid',
    description: 'The login link is unknown, used or expired; the answer does not say which. Ask for a new one.',
    retryable: false,
  },
  invalid_credentials: {
    status: 401,
    title: 'Sign-in failed',
    description:
      'The email address is unknown, or the password or passkey is wrong; the answer does not say which. Try again, or ' +
      'ask for a login link.',
    retryable: false,
  },
  wrong_password: {
    status: 422,
    title: 'Password wrong',
    description: 'The current password is wrong. Try again, or sign in with a login link to set a new one.',
    retryable: false,
  },
  proof_required: {
    status: 403,
    title: 'Proof needed',
    description:
      'This changes how you sign in, so it needs a proof that it is you. Give the current password, or sign in again.',
    retryable: false,
  },
  passkey_rejected: {
    status: 422,
    title: 'Passkey not accepted',
    description:
      'What the browser answered does not belong to a request of this session of the last 5 minutes, or is not valid. ' +
      'Begin again.',
    retryable: false,
  },
  passkey_not_found: {
    status: 404,
    title: 'Passkey not found',
    description: 'You have no passkey with this id. Check the id.',
    retryable: false,
  },
  passkey_limit: {
    status: 409,
    title: 'Too many passkeys',
    description: 'You have 20 passkeys, and may not have more. Remove one of them.',
    retryable: false,
  },
  passkeys_unavailable: {
    status: 409,
    title: 'No passkeys here',
    description: 'The address of the console is an IP address, for which browsers make no passkeys. Use a host name.',
    retryable: false,
  },
  oidc_not_configured: {
    status: 404,
    title: 'No OpenID provider',
    description: 'This deployment has no OpenID provider to sign in with. Sign in another way.',
    retryable: false,
  },
  oidc_unavailable: {
    status: 503,
    title: 'OpenID provider not available',
    description:
      'The OpenID provider does not answer, or its answer is not valid. You are not signed in. Retry later, or sign in another way.',
    retryable: true,
  },
  oidc_failed: {
    status: 401,
    title: 'Sign-in failed',
    description:
      'What came back from the OpenID provider is not valid, or belongs to no sign-in of this browser of the last 10 ' +
      'minutes. Begin again.',
    retryable: false,
  },
  oidc_cancelled: {
    status: 401,
    title: 'Sign-in cancelled',
    description: 'The sign-in was stopped or refused at the OpenID provider. Begin again, or sign in another way.',
    retryable: false,
  },
  oidc_email_unverified: {
    status: 403,
    title: 'Email address not verified',
    description:
      'The OpenID provider does not confirm an email address of this account. Verify the address there, or ask the ' +
      'operator.',
    retryable: false,
  },
  oidc_refused: {
    status: 403,
    title: 'No access with this account',
    description:
      'No person who may enter has this account of the OpenID provider. Ask an owner of your store to invite its email ' +
      'address, or ask the operator.',
    retryable: false,
  },
  cross_site_request: {
    status: 403,
    title: 'Request from another site',
    description:
      'The request changes something, and its headers do not say that it comes from a page of this address. Send it from ' +
      'the console: the browser then adds `Sec-Fetch-Site: same-origin`, or this address as `Origin`.',
    retryable: false,
  },
  role_required: {
    status: 403,
    title: 'Role too low',
    description: 'Your role in the store does not allow this. Ask a person with the role in `required_role`.',
    retryable: false,
  },
  quota_exceeded: {
    status: 429,
    title: 'Too many requests',
    description:
      'The API key has used up its rate limit, or it sends faster than that rate while the server serves other stores, or the store has sent too many tests of its webhook endpoints. Send the next request after `Retry-After` seconds.',
    retryable: true,
  },
  route_not_found: {
    status: 404,
    title: 'Route not found',
    description: 'No route has this path. Check the path.',
    retryable: false,
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    description: 'The path does not support this method. Use one of the methods in `Allow`.',
    retryable: false,
  },
  tier_required: {
    status: 403,
    title: 'Store tier too low',
    description: 'The store’s tier is too low for this operation. The lowest sufficient tier is in `required_tier`.',
    retryable: false,
  },
  scope_required: {
    status: 403,
    title: 'Scope missing',
    description: 'The API key lacks a scope that this operation needs. Use a key with the scope in `required_scope`.',
    retryable: false,
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    description: 'The request body is larger than 256 KiB. Send a smaller one.',
    retryable: false,
  },
  unsupported_media_type: {
    status: 415,
    title: 'Media type not supported',
    description: 'The body is not declared as JSON. Send it with `Content-Type: application/json`.',
    retryable: false,
  },
  unsupported_content_encoding: {
    status: 415,
    title: 'Content encoding not supported',
    description: 'The body is compressed, which `Content-Encoding` says. Send it uncompressed, without that header.',
    retryable: false,
  },
  malformed_json: {
    status: 400,
    title: 'Body is not JSON',
    description: 'The body is not valid JSON. Correct its syntax.',
    retryable: false,
  },
  malformed_request: {
    status: 400,
    title: 'Malformed HTTP request',
    description: 'The request line, the path or a header is malformed. Correct the HTTP request.',
    retryable: false,
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    description: 'The request headers are larger than 16 KiB in total. Send fewer or shorter headers.',
    retryable: false,
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    description: 'The request did not arrive completely within the time limit. Send it again.',
    retryable: true,
  },
  validation_failed: {
    status: 400,
    title: 'Request not valid',
    description:
      'The body, the query, the path or a header is not valid. Correct the faults in `errors`, which lists all of ' +
      'them (at most 50): `{ pointer, detail }` for the body (a JSON Pointer as a URI fragment), ' +
      '`{ in, name, detail }` elsewhere.',
    retryable: false,
  },
  lead_not_found: {
    status: 404,
    title: 'Lead not found',
    description:
      'The store has no such lead. Check the id or the phone. If the lead was merged into another one, `merged_into` has ' +
      'the id of that lead.',
    retryable: false,
  },
  lead_not_duplicate: {
    status: 422,
    title: 'Leads are not one person',
    description:
      'The two leads have different phones, or none of them has one, so they are not merged. Merge leads that ' +
      '`lead duplicates` lists, or a lead without a phone with the lead of the same person.',
    retryable: false,
  },
  lead_busy: {
    status: 409,
    title: 'Lead busy',
    description: 'A message to the lead is being sent right now. Retry after `Retry-After` seconds.',
    retryable: true,
  },
  lead_exists: {
    status: 409,
    title: 'Lead exists',
    description: 'The store already has a lead with this phone. Use the lead whose id is in `id`.',
    retryable: false,
  },
  external_id_exists: {
    status: 409,
    title: 'External id taken',
    description: 'Another lead of the store has this `external_id`. Use the lead whose id is in `id`.',
    retryable: false,
  },
  seller_not_found: {
    status: 404,
    title: 'Seller not found',
    description: 'The store has no seller with this id. Check the id.',
    retryable: false,
  },
  seller_inactive: {
    status: 422,
    title: 'Seller inactive',
    description: 'The seller is inactive, so no lead can be assigned to them. Choose or activate a seller.',
    retryable: false,
  },
  agent_not_found: {
    status: 404,
    title: 'Agent not found',
    description: 'The store has no agent with this id. Check the id.',
    retryable: false,
  },
  agent_eval_not_found: {
    status: 404,
    title: 'Eval not found',
    description: 'The agent has no eval with this id, or none to run. Check the id, or create an eval.',
    retryable: false,
  },
  agent_eval_run_not_found: {
    status: 404,
    title: 'Run of evals not found',
    description: 'This is not the last run of the agent’s evals: another one has begun since. Begin a new run.',
    retryable: false,
  },
  agent_eval_limit: {
    status: 409,
    title: 'Too many evals',
    description: 'The agent has 50 evals, and may not have more. Delete or change one of them.',
    retryable: false,
  },
  default_agent_exists: {
    status: 409,
    title: 'Default agent exists',
    description: 'The store already has a default agent, and may have only one. Change the agent in `id` first.',
    retryable: false,
  },
  document_not_found: {
    status: 404,
    title: 'Document not found',
    description: 'The store has no knowledge document with this id. Check the id.',
    retryable: false,
  },
  appointment_not_found: {
    status: 404,
    title: 'Appointment not found',
    description: 'The store has no appointment with this id. Check the id.',
    retryable: false,
  },
  event_not_found: {
    status: 404,
    title: 'Event not found',
    description: 'The feed of the store has no event with this id. It keeps events for 30 days.',
    retryable: false,
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor expired',
    description:
      'The feed no longer has the event after `after`, or it never had `after`. Keep the `next` of `after=-1`, read the ' +
      'resources that you mirror once in full, then go on from that `next`.',
    retryable: false,
  },
  appointment_not_scheduled: {
    status: 409,
    title: 'Appointment is final',
    description: 'The appointment has the final status in `current_status`. Create a new appointment instead.',
    retryable: false,
  },
  appointment_conflict: {
    status: 409,
    title: 'Time is taken',
    description:
      'No place is free at this time. `alternatives` has up to five later starts that are free now. Book one of them.',
    retryable: false,
  },
  outside_opening_hours: {
    status: 422,
    title: 'Outside the opening hours',
    description: 'The store, or the seller who is booked, is not open for the whole time. Choose another time.',
    retryable: false,
  },
  outside_booking_window: {
    status: 422,
    title: 'Too soon or too far',
    description:
      'The start is sooner than the minimum notice of the store, or further ahead than its horizon. Choose another time.',
    retryable: false,
  },
  booking_rules_not_found: {
    status: 404,
    title: 'No booking rules',
    description: 'The store has no booking rules that reject overlaps. Set them with `PUT /booking/rules` first.',
    retryable: false,
  },
  service_not_found: {
    status: 404,
    title: 'Service not found',
    description: 'The store has no service with this id. Check the id.',
    retryable: false,
  },
  service_inactive: {
    status: 422,
    title: 'Service inactive',
    description: 'The service is inactive, so it cannot be booked. Choose or activate a service.',
    retryable: false,
  },
  seller_not_bookable: {
    status: 422,
    title: 'Seller not bookable',
    description:
      'The seller is not `bookable`, or does not give this service. Choose another seller, or change the seller or the service.',
    retryable: false,
  },
  hold_not_found: {
    status: 404,
    title: 'Hold not found',
    description: 'The store has no such hold. It has expired, was released, or became an appointment. Make a new one.',
    retryable: false,
  },
  hold_not_renewable: {
    status: 409,
    title: 'Hold already renewed',
    description: 'The hold was renewed before, and can be renewed only once. Book the appointment, or make a new hold.',
    retryable: false,
  },
  ai_connection_refused: {
    status: 422,
    title: 'Provider of models rejected the connection',
    description: 'A trial call to the model failed; `detail` says why. Correct the key, the model or the address.',
    retryable: false,
  },
  calendar_feed_not_found: {
    status: 404,
    title: 'Calendar feed not found',
    description:
      'No calendar feed or invitation has this address, or it was replaced, or the appointment ended over 30 days ago. Use ' +
      'the present address.',
    retryable: false,
  },
  calendar_not_connected: {
    status: 404,
    title: 'No calendar connected',
    description: 'The store has no calendar connected. Connect one first.',
    retryable: false,
  },
  calendar_refused: {
    status: 422,
    title: 'Calendar rejected the connection',
    description: 'The calendar rejected the connection; `detail` has its answer. Correct the address or credentials.',
    retryable: false,
  },
  channel_not_connected: {
    status: 409,
    title: 'No channel connected',
    description: 'The store has no messaging channel connected, or its channel needs attention. Connect the channel.',
    retryable: false,
  },
  template_not_found: {
    status: 404,
    title: 'Template not found',
    description:
      'The channel has no template with this name in this language. `GET /templates` lists those it has. A new one is ' +
      'known some minutes after the channel approved it.',
    retryable: false,
  },
  template_not_approved: {
    status: 422,
    title: 'Template not approved',
    description:
      'The channel has not approved the template, or has paused, rejected or disabled it: `current_status` says which. ' +
      'Use another template, or correct this one at the channel.',
    retryable: false,
  },
  messaging_window_closed: {
    status: 422,
    title: 'Reply window closed',
    description:
      'The channel accepts free text only within 24 hours after the lead wrote or called. Wait, or send the message with a `template`.',
    retryable: false,
  },
  message_budget_reached: {
    status: 422,
    title: 'Message budget reached',
    description:
      'The message does not fit into what the messages of the store may cost this month: `message_budget` of `GET /store`. ' +
      'This stops the sources `ai`, `api` and `followup`, except a message of the AI that calls a person. Raise the budget, wait for the next month, or let a seller write.',
    retryable: false,
  },
  lead_opted_out: {
    status: 422,
    title: 'Lead has opted out',
    description:
      'The lead opted out of messages of source `ai` and `followup`, and of source `api` in a store whose setting ' +
      '`opt_out_stops_api` is on. Wait until the lead opts in again, or let a seller write.',
    retryable: false,
  },
  ai_paused: {
    status: 422,
    title: 'AI is paused',
    description:
      'The AI does not write to the lead now: a person has written, or paused it. Wait until `ai_paused_until` of the lead, ' +
      'or let the AI go on with `POST /leads/{leadId}/ai/resume`.',
    retryable: false,
  },
  model_not_connected: {
    status: 409,
    title: 'No model is connected',
    description: 'The store has connected no model that could answer. Connect one first.',
    retryable: false,
  },
  nothing_to_confirm: {
    status: 409,
    title: 'Nothing waits for a confirmation',
    description:
      'The message asks for no effect that a person confirms, or it was decided before: `decision` says what, by whom and ' +
      'when, and its explanation what came of it. One that is being confirmed cannot be declined: confirm it again to ' +
      'learn what came of it. After 12 hours it can only be declined.',
    retryable: false,
  },
  ai_budget_reached: {
    status: 409,
    title: 'AI budget of the day is used up',
    description:
      'The AI has used up the calls to models that the store allows for one day, in UTC, their money or their tokens. ' +
      'Try again tomorrow, or raise the limit.',
    retryable: false,
  },
  lead_replied: {
    status: 409,
    title: 'Lead has replied',
    description: 'The lead wrote after the message was planned, so it was not sent. Read the new message first.',
    retryable: false,
  },
  message_expired: {
    status: 409,
    title: 'Message has expired',
    description:
      'The message was not sent in time: its follow-up has an `expires_at`, or it waited for a day. Write again if it ' +
      'still matters.',
    retryable: false,
  },
  followup_not_found: {
    status: 404,
    title: 'Follow-up not found',
    description: 'The store has no follow-up with this id. Check the id.',
    retryable: false,
  },
  followup_not_pending: {
    status: 409,
    title: 'Follow-up is not pending',
    description:
      'The follow-up has the status in `current_status`. Only a `pending` follow-up can be changed or cancelled.',
    retryable: false,
  },
  message_not_found: {
    status: 404,
    title: 'Message not found',
    description: 'The lead has no message with this id. Check both ids.',
    retryable: false,
  },
  message_not_queued: {
    status: 409,
    title: 'Message is not queued',
    description:
      'The message has the status in `current_status`. Only a message that is still `queued` can be cancelled.',
    retryable: false,
  },
  message_not_unknown: {
    status: 409,
    title: 'Outcome is known',
    description: 'The message has the status in `current_status`. Only a message that is `unknown` can be settled.',
    retryable: false,
  },
  session_not_found: {
    status: 404,
    title: 'Session not found',
    description: 'The lead has no session with this id. Check both ids.',
    retryable: false,
  },
  webhook_refused: {
    status: 403,
    title: 'Webhook rejected',
    description: 'No channel has this address, or the signature or verify token is wrong. Check the webhook settings.',
    retryable: false,
  },
  webhook_endpoint_not_found: {
    status: 404,
    title: 'Webhook endpoint not found',
    description: 'The store has no webhook endpoint with this id. Check the id.',
    retryable: false,
  },
  webhook_endpoint_limit: {
    status: 409,
    title: 'Too many webhook endpoints',
    description: 'The store has 50 webhook endpoints, and may not have more. Delete or change one of them.',
    retryable: false,
  },
  webhook_endpoint_not_enabled: {
    status: 409,
    title: 'Webhook endpoint not enabled',
    description:
      'The webhook endpoint has the status in `current_status`, so nothing is sent to it. Set its `status` to ' +
      '`enabled` first.',
    retryable: false,
  },
  webhook_delivery_not_found: {
    status: 404,
    title: 'Webhook delivery not found',
    description: 'The webhook endpoint has no delivery with this id. Deliveries are kept for 30 days. Check both ids.',
    retryable: false,
  },
  webhook_replay_not_found: {
    status: 404,
    title: 'Replay not found',
    description: 'The webhook endpoint has no replay with this id. Check both ids.',
    retryable: false,
  },
  sandbox_not_found: {
    status: 404,
    title: 'Sandbox not found',
    description: 'No sandbox has this address, or it was replaced. Use the present address of the store’s sandbox.',
    retryable: false,
  },
  sandbox_phone_taken: {
    status: 409,
    title: 'Phone is not of the sandbox',
    description:
      'The store has a lead with this phone that the sandbox’s telephone did not create, and the telephone of this platform ' +
      'writes only as its own customers. Write with a phone that no lead has.',
    retryable: false,
  },
  store_not_found: {
    status: 404,
    title: 'Store not found',
    description: 'No store has this id. Check the id.',
    retryable: false,
  },
  api_key_not_found: {
    status: 404,
    title: 'API key not found',
    description: 'No API key has this id. Check the id.',
    retryable: false,
  },
  api_key_limit: {
    status: 409,
    title: 'Too many API keys',
    description: 'The store has 100 valid API keys, and may not have more. Revoke one that is not used.',
    retryable: false,
  },
  user_not_found: {
    status: 404,
    title: 'User not found',
    description: 'No user has this email address in this store. Check both.',
    retryable: false,
  },
  user_exists: {
    status: 409,
    title: 'Person is in the store',
    description: 'A person with this email address is in the store already. Change the person whose id is in `id`.',
    retryable: false,
  },
  user_disabled: {
    status: 409,
    title: 'Person disabled',
    description: 'The operator disabled the person in all stores, so no login link would work. Ask the operator.',
    retryable: false,
  },
  last_owner: {
    status: 409,
    title: 'Last owner',
    description: 'The person is the only owner of the store, which must have one. Make another person an owner first.',
    retryable: false,
  },
  user_session_not_found: {
    status: 404,
    title: 'Session not found',
    description: 'You have no open session with this id. Check the id.',
    retryable: false,
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key used for another request',
    description: 'This `Idempotency-Key` was already used with another body. Use a new key for a new request.',
    retryable: false,
  },
  idempotency_in_progress: {
    status: 409,
    title: 'First request still running',
    description: 'The first request with this `Idempotency-Key` is still running. Retry after `Retry-After` seconds.',
    retryable: true,
  },
  version_mismatch: {
    status: 412,
    title: 'Version mismatch',
    description:
      '`If-Match` does not name the current version, or with `If-None-Match: *` the lead exists. Read the resource ' +
      'again and use its new ETag, or use the lead whose id is in `id`.',
    retryable: false,
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    description: 'The server failed to handle the request. Give the `request_id` to the operator.',
    retryable: true,
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    description:
      'A part of the platform is down or overloaded. The request had no effect. Retry after `Retry-After` seconds.',
    retryable: true,
  },
  upstream_timeout: {
    status: 504,
    title: 'Outcome unknown',
    description:
      'No answer came in time, so the request may or may not have taken effect. ' +
      'Retry with the same `Idempotency-Key`, or read the resource to see the outcome.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorDefinition>;

/** A stable error code of the catalogue. */
export type ErrorCode = keyof typeof errorCatalogue;

/** One fault of an invalid request. */
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
