-- Messages that go out by themselves. `due_at` is what was asked for and never changes; `next_attempt_at` is when it will be
-- looked at: it moves with sending windows and failed attempts, and is null once the status is final.
create table followups (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  lead_id uuid not null,
  message text not null check (char_length(message) between 1 and 4096),
  template jsonb check (jsonb_typeof(template) = 'object'),
  due_at timestamptz(3) not null,
  -- To the microsecond, like the lease: rounded up, what is due now would not be due yet.
  next_attempt_at timestamptz,
  status text not null default 'pending' check (status in ('pending', 'sending', 'sent', 'failed', 'cancelled')),
  message_id uuid,
  error_code text,
  error_detail text,
  cancel_reason text
    check (cancel_reason in ('api', 'lead_replied', 'appointment_booked', 'opted_out', 'lead_deleted')),
  cancel_on_reply boolean not null,
  cancel_on_appointment boolean not null,
  -- An attempt counts when it begins; once messaging has the message, they count how often it was asked about.
  attempts integer not null default 0,
  -- From here on counts how long a store may be without a channel.
  first_attempt_at timestamptz(3),
  -- The attempt that runs, until when nobody else may start one.
  lease_token uuid,
  lease_until timestamptz,
  -- When the sweep last woke the workflow.
  woken_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  check ((status in ('pending', 'sending')) = (next_attempt_at is not null)),
  check ((status = 'cancelled') = (cancel_reason is not null)),
  check (status <> 'sent' or message_id is not null),
  check (status <> 'failed' or error_code is not null),
  check (status = 'sending' or lease_token is null),
  check ((lease_token is null) = (lease_until is null)),
  check ((error_code is null) = (error_detail is null))
);

-- The list in its order, whole or filtered, what a lead's doings cancel, and the sweep.
create index followups_by_due on followups (store_id, due_at, id);
create index followups_by_status on followups (store_id, status, due_at, id);
create index followups_by_lead on followups (store_id, lead_id, due_at, id);
create index followups_overdue on followups (next_attempt_at) where status in ('pending', 'sending');

alter table followups enable row level security;
alter table followups force row level security;
create policy store on followups to scheduling
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on followups to scheduling;

-- The sweep looks at every store, and names the lead to Temporal's search.
create policy sweep_reads on followups for select to scheduling_system using (true);
create policy sweep_marks on followups for update to scheduling_system using (true);
grant select (store_id, id, lead_id, status, next_attempt_at, woken_at) on followups to scheduling_system;
grant update (woken_at) on followups to scheduling_system;

-- What a store has set for its scheduling.
create table store_settings (
  store_id uuid primary key,
  -- `SendingWindows` of the contracts; an empty list: always open.
  sending_windows jsonb not null default '[]' check (jsonb_typeof(sending_windows) = 'array')
);

alter table store_settings enable row level security;
alter table store_settings force row level security;
create policy store on store_settings to scheduling
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on store_settings to scheduling;
