-- The country whose national phone numbers are completed; null: that of the time zone, else that of the locale.
alter table stores add column country text;

-- Where it comes from, so that each gateway also notices what an operator changes in SQL.
create trigger touch_country before update of timezone, locale, country on stores
  for each row when (new.updated_at = old.updated_at) execute function touch();
