-- What conditions compare. The previous version shows the new ones, and none of them holds there.
alter table conditions
  -- `OpeningHours` of the contracts, and their zone: of `business_hours` alone.
  add column hours jsonb,
  add column timezone text,
  drop constraint conditions_condition_type_check,
  drop constraint conditions_operator_check,
  drop constraint conditions_value_check,
  add constraint conditions_condition_type_check check (condition_type in (
    'lead_status', 'seller', 'tag', 'message_contains', 'language', 'first_contact', 'business_hours')) not valid,
  add constraint conditions_operator_check check (operator in ('=', '!=', 'in', 'not_in', 'contains')) not valid,
  add constraint conditions_value_check check (char_length(value) between 1 and 500) not valid,
  add constraint conditions_hours_check check (
    condition_type = 'business_hours' or (hours is null and timezone is null)) not valid;
