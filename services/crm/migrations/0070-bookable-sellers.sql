-- Who of the sellers customers can book, and when. The previous version writes rows without them.
alter table sellers
  add column bookable boolean not null default false,
  -- `OpeningHours` of the contracts. Null: whenever the store is open.
  add column hours jsonb check (jsonb_typeof(hours) = 'array');
