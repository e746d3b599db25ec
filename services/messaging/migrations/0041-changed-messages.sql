-- Reactions to messages, edits and deletions. Constant defaults rewrite nothing.
alter table messages
  add column reactions jsonb not null default '[]',
  add column edited_at timestamptz(3),
  add column revoked_at timestamptz(3),
  -- `body` is only the beginning of what the lead wrote.
  add column body_truncated boolean not null default false,
  -- A customer's text may be longer than what the store may send. `not valid` holds the rule for new rows without reading
  -- the others.
  drop constraint messages_body_check,
  add constraint messages_body_check check (octet_length(body) <= 65536) not valid;

-- As in 0018-message-changes.sql, with the new columns.
create or replace trigger touch before update on messages for each row
  when (
    (old.lead_id, old.session_id, old.body, old.status, old.error_code, old.error_detail, old.provider_message_id,
      old.sent_at, old.delivered_at, old.read_at, old.reactions, old.edited_at, old.revoked_at, old.body_truncated)
    is distinct from
    (new.lead_id, new.session_id, new.body, new.status, new.error_code, new.error_detail, new.provider_message_id,
      new.sent_at, new.delivered_at, new.read_at, new.reactions, new.edited_at, new.revoked_at, new.body_truncated))
  execute function touch();

-- The last change of each kind by each side to a message, under the channel's id of that message. It may come before the
-- message does, and stays: so that a repeated or late one changes nothing.
create table message_changes (
  store_id uuid not null,
  channel_id uuid not null references channels (id),
  provider_message_id text not null,
  kind text not null check (kind in ('reaction', 'edit', 'revocation')),
  source text not null check (source in ('lead', 'seller')),
  -- The channel's id of the change, and when it was made, by the channel's clock.
  event_id text not null,
  changed_at timestamptz(3) not null,
  -- The emoji, or null when it was removed; the new text.
  body text,
  body_truncated boolean not null default false,
  received_at timestamptz(3) not null default now(),
  primary key (store_id, channel_id, provider_message_id, kind, source)
);
alter table message_changes enable row level security;
alter table message_changes force row level security;
create policy store on message_changes to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on message_changes to messaging;
