-- What a store may spend on messages in a month, in the currency of the rate file. Null: there is no limit.
alter table store_settings add column monthly_budget numeric(16, 6) check (monthly_budget >= 0);

-- What a message takes of the budget of its month while its price is not known, in millionths. Null: it was accepted
-- without a budget.
alter table messages add column budget_micros bigint;

-- What the messages that a store with a budget accepted in a month take of it.
create table message_budgets (
  store_id uuid not null,
  -- Its first day, in UTC.
  month date not null,
  -- In millionths. It changes in the transaction that accepts, prices, refuses or cancels a message.
  spent_micros bigint not null default 0,
  -- The greatest share of the budget that an event has told of: 0, 80 or 100.
  told_percent smallint not null default 0,
  primary key (store_id, month)
);
alter table message_budgets enable row level security, force row level security;
create policy store on message_budgets to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on message_budgets to messaging;
