alter table channels
  -- GCRA of what was really sent over the number: it bounds sends that come late and together.
  add column number_sent_tat timestamptz not null default 'epoch';
