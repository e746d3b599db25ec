-- In a file of its own, so that the check of the old rows holds no lock that blocks requests.
alter table conditions validate constraint conditions_condition_type_check;
alter table conditions validate constraint conditions_operator_check;
alter table conditions validate constraint conditions_value_check;
alter table conditions validate constraint conditions_hours_check;
