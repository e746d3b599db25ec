-- The role that takes backups. `backup role` of the admin command runs this and gives it a password. By hand, as a
-- superuser; it can be repeated: psql --file=backup-role.sql; psql --command='\password mostrador_backup'
do $$
begin
  create role mostrador_backup;
exception
  when duplicate_object then null;
end
$$;
-- REPLICATION is for pg_basebackup and pg_receivewal. BYPASSRLS and pg_read_all_data are for pg_dump, which fails under
-- row-level security, or with --enable-row-security writes a dump without rows.
alter role mostrador_backup login replication bypassrls nosuperuser nocreatedb nocreaterole connection limit 5;
grant pg_read_all_data to mostrador_backup;
-- It only reads, also when a script goes wrong.
alter role mostrador_backup set default_transaction_read_only = on;
