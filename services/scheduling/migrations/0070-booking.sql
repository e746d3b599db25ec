-- Booking: the rules of a store, its services, and the places that appointments take. The previous version writes
-- appointments that name no seller and no service, and takes no places: `PUT /booking/rules` places what it wrote.
alter table appointments
  -- The seller who is booked: crm has the seller.
  add column seller_id uuid,
  -- The service as it was booked. A service can be deleted, and its appointments stay.
  add column service_id uuid;

-- A store without a row has no rules.
create table booking_rules (
  store_id uuid primary key,
  overlap text not null check (overlap in ('allow', 'reject')),
  capacity integer not null check (capacity between 0 and 100),
  slot_step_minutes integer not null check (slot_step_minutes between 5 and 1440),
  buffer_before_minutes integer not null check (buffer_before_minutes between 0 and 240),
  buffer_after_minutes integer not null check (buffer_after_minutes between 0 and 240),
  minimum_notice_minutes integer not null check (minimum_notice_minutes >= 0),
  horizon_days integer not null check (horizon_days >= 1),
  -- `OpeningHours` and exceptions of the contracts. Null hours: always open.
  hours jsonb check (jsonb_typeof(hours) = 'array'),
  exceptions jsonb not null check (jsonb_typeof(exceptions) = 'array'),
  -- The zone of the store, as accounts has it. `replanFollowups` brings a change of it.
  timezone text not null,
  version integer not null default 1,
  updated_at timestamptz(3) not null default now()
);

create table services (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  name text not null check (char_length(name) between 1 and 200),
  duration_minutes integer not null check (duration_minutes between 1 and 1440),
  -- Null: that of the rules.
  buffer_before_minutes integer check (buffer_before_minutes between 0 and 240),
  buffer_after_minutes integer check (buffer_after_minutes between 0 and 240),
  -- Sellers of crm, in the order in which they are tried. Empty: a place of the store.
  seller_ids uuid[] not null,
  price_text text check (char_length(price_text) between 1 and 100),
  is_active boolean not null,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (store_id, id)
);
create index services_by_creation on services (store_id, created_at, id);

-- What takes places in a store with `overlap: reject`: scheduled appointments, and holds. No two rows take one place at one
-- time: the constraint decides it, whatever the code does. It is a table of its own, so that appointments of stores
-- without rules pay nothing, and so that the constraint needed no scan of appointments.
create table bookings (
  store_id uuid not null,
  -- That of the appointment, or of the hold.
  id uuid not null,
  -- A seller's id, or `00000000-…-n` for the place number n of the store. Of two appointments of one seller that
  -- overlapped before the store had rules, the later one has a random place.
  place uuid not null,
  -- The seller whose place it is. Null: a place of the store.
  seller_id uuid,
  -- With both buffers.
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- The appointment, or what the hold keeps free.
  scheduled_at timestamptz(3) not null,
  duration_minutes integer not null,
  service_id uuid,
  -- Only a hold has it. An expired hold blocks nothing: each booking deletes it first.
  expires_at timestamptz(3),
  renewed boolean not null default false,
  primary key (store_id, id),
  -- The longest appointment and the longest buffers. A search begins this much earlier.
  check (ends_at > starts_at and ends_at <= starts_at + interval '48 hours'),
  -- The operator classes of uuid are those of btree_gist.
  constraint bookings_place exclude using gist (store_id with =, place with =, tstzrange(starts_at, ends_at) with &&)
);
create index bookings_by_time on bookings (store_id, starts_at);
create index bookings_expiring on bookings (expires_at) where expires_at is not null;

do $$
declare
  target text;
begin
  foreach target in array array['booking_rules', 'services', 'bookings'] loop
    execute format('alter table %s enable row level security, force row level security', target);
    execute format('create policy store on %1$s to scheduling using (%2$s) with check (%2$s)', target,
      'store_id = (select nullif(current_setting(''mostrador.store_id'', true), '''')::uuid)');
  end loop;
end $$;
grant select, insert, update on booking_rules to scheduling;
grant select, insert, update, delete on services, bookings to scheduling;
-- The purge looks at every store, and deletes expired holds only.
create policy purge on bookings to scheduling_system using (expires_at is not null);
grant select (store_id, id, expires_at), delete on bookings to scheduling_system;
