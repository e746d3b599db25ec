-- In a file of its own, so that the check of the old rows holds no lock that blocks requests.
alter table leads validate constraint leads_identity;
