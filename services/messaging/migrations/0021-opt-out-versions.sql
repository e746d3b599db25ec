-- Crm keeps a copy of who has opted out, for its list of leads.
alter table conversations
  -- Rises with each change of `opted_out_at`, whatever statement makes it.
  add column opt_out_version integer not null default 0,
  -- The version that crm has. Null: none, which is enough for a lead who has never opted out.
  add column reported_opt_out_version integer;

create function number_opt_out() returns trigger language plpgsql as $$
begin
  new.opt_out_version := old.opt_out_version + 1;
  return new;
end $$;
create trigger number_opt_out before update of opted_out_at on conversations for each row
  when (old.opted_out_at is distinct from new.opted_out_at) execute function number_opt_out();

-- The job that sends them looks at every store.
grant select (opted_out_at, opt_out_version, reported_opt_out_version) on conversations to messaging_system;
