-- Every row has one of the earlier reasons. Reads the table once, and blocks no request.
alter table followups validate constraint followups_cancel_reason_check;
