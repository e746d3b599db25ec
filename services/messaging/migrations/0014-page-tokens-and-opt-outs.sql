alter table channels
  -- The token in the address of the channel's own page, encrypted and bound to the row. It stays after a disconnect, so
  -- that the page gets the same address when it is connected again.
  add column sealed_page_token text;

alter table store_settings
  -- Whether an opt-out stops messages of source `api`, too.
  add column opt_out_stops_api boolean not null default false;
