-- A sync that a person gave up. `not valid` holds the rule for new rows without reading the others.
alter table calendar_syncs
  drop constraint calendar_syncs_state_check,
  add constraint calendar_syncs_state_check check (
    state in ('pending', 'synced', 'needs_attention', 'failed')) not valid;

-- Since when the calendar is not in step. Of rows from before: since this migration.
alter table calendar_syncs add column requested_at timestamptz(3) not null default now();

-- When the calendar refused the connection; null: not known.
alter table calendar_connections add column refused_at timestamptz(3);
