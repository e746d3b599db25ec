-- A copy of what messaging knows of a lead, for the list of leads and its filter.
alter table leads
  add column opted_out_at timestamptz(3),
  -- Rises with each change. Null: messaging has told nothing, because the lead has never opted out.
  add column opt_out_version integer;
