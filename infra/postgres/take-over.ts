/** The tables that the gateway had, with the rights of its roles, which its previous version uses through views. */
const tables = {
  stores: ['select, insert, update on gateway.stores to gateway', 'select on gateway.stores to gateway_system'],
  api_keys: [
    'select, insert, update on gateway.api_keys to gateway',
    'select, update (last_used_at) on gateway.api_keys to gateway_system',
  ],
  deleted_api_keys: ['select on gateway.deleted_api_keys to gateway_system'],
} as const;

const lastMigrationOfTheGateway = '0004-store-country.sql';

/**
 * Creates the function that moves stores and keys from the schema `gateway` to `accounts`, until it has been used. A
 * migration of accounts calls it and drops it. Only an administrator can give a table to another owner, and so the owner
 * of one schema gets no right to the other's tables.
 */
export const takeOverStatement = (): string => `do $create$ begin
  if to_regclass('accounts.stores') is null then
    create or replace function accounts.take_over_stores_and_keys() returns void
    language plpgsql security definer set search_path = pg_catalog as $$
    declare ready boolean;
    begin
      if to_regclass('gateway.schema_migrations') is not null then
        select exists (select from gateway.schema_migrations where name = '${lastMigrationOfTheGateway}') into ready;
      end if;
      if ready is not true then
        raise exception 'the schema gateway is not at ${lastMigrationOfTheGateway}: migrate it before the schema accounts';
      end if;
      alter function gateway.touch() set schema accounts;
      alter function gateway.record_deletion() set schema accounts;
      alter function accounts.touch() owner to accounts_owner;
      alter function accounts.record_deletion() owner to accounts_owner;
      alter function accounts.record_deletion() set search_path = accounts;
${Object.entries(tables).map(moved).join('\n')}
    end $$;
    revoke execute on function accounts.take_over_stores_and_keys() from public;
    grant execute on function accounts.take_over_stores_and_keys() to accounts_owner;
  end if;
end $create$`;

/** The view checks the rights and the policies of the role that uses it. */
const moved = ([table, grants]: [string, readonly string[]]): string => `
      alter table gateway.${table} set schema accounts;
      alter table accounts.${table} owner to accounts_owner;
      create view gateway.${table} with (security_invoker) as select * from accounts.${table};
      alter view gateway.${table} owner to gateway_owner;
${grants.map((grant) => `      grant ${grant};`).join('\n')}`;
