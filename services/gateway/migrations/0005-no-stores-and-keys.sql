-- contract
-- The views through which the previous version reached the tables that moved to the schema accounts.
drop view deleted_api_keys;
drop view api_keys;
drop view stores;
