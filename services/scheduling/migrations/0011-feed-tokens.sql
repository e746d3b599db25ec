alter table calendar_connections
  -- The token in the address of the store's feed, encrypted and bound to the store. It stays after a disconnect, so that
  -- the feed gets the same address when it is connected again. At most one row of a store has it.
  add column sealed_feed_token text;
