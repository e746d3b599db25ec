-- Who of the store wrote a message: its kind, id and name. Null: the lead, a follow-up, or not known, as in older rows.
alter table messages add column author jsonb;
