-- Whether the events of the store's calendar show the name and the phone of the lead.
alter table store_settings add column calendar_customer boolean not null default false;
