-- When the customer wrote last, by the channel's clock. What the store wrote before on its telephone answers nothing. Null: not
-- known, as for what came before this column, or the customer has not written.
alter table conversations add column customer_wrote_at timestamptz(3);
