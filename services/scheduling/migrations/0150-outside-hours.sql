-- Whether appointments may lie outside of the opening hours. The previous version rejects them, and keeps the column.
alter table booking_rules
  add column outside_hours text not null default 'reject' check (outside_hours in ('allow', 'reject'));
