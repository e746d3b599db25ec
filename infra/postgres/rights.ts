import type { ISql } from 'postgres';
import { extensions, schemas } from '../../packages/platform/src/servers.ts';
import { allRoles } from './roles.ts';

/** What the gateway reads in the schema of accounts: tables, and their columns. */
export const readsOfTheGateway: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['expires_at', 'id', 'key_hash', 'revoked_at', 'scopes', 'store_id', 'updated_at'],
  deleted_api_keys: ['deleted_at', 'id'],
  stores: ['country', 'created_at', 'id', 'locale', 'name', 'rate_limit', 'tier', 'timezone', 'updated_at'],
};

const columnsOfTheGateway = Object.entries(readsOfTheGateway).flatMap(([table, columns]) =>
  columns.map((column) => ({ table, column })),
);
const serving = allRoles.filter((role) => !role.endsWith('_owner'));

/**
 * What the migrated database gives a role of the services beyond its own schema and the store of a request: grants,
 * ownership, attributes, memberships, policies. Each fault is a sentence. It reads the catalogue, so any login may run it.
 */
export async function findExcessiveRights(sql: ISql): Promise<string[]> {
  const found = await sql<{ fault: string }[]>`
    select format('%s may use the schema %s', rolname, nspname) as fault
    from pg_roles role, pg_namespace
    where rolname in ${sql([...allRoles])} and nspname in ${sql([...schemas])}
      and has_schema_privilege(role.oid, nspname, 'usage, create')
      and nspname <> regexp_replace(rolname, '_(owner|system)$', '')
      and not (nspname = 'accounts' and rolname = 'gateway_system'
        and not has_schema_privilege(role.oid, nspname, 'create'))
    union all
    select format('%s may create in the schema %s', rolname, nspname)
    from pg_roles role, pg_namespace
    where rolname in ${sql(serving)} and has_schema_privilege(role.oid, nspname, 'create')
    union all
    select format('%s may touch %s.%s', coalesce(grantee.rolname, 'everybody'), nspname, relname)
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace, aclexplode(relacl) as granted
      left join pg_roles grantee on grantee.oid = granted.grantee
    where nspname in ${sql([...schemas])}
      and (grantee.rolname is null or grantee.rolname not in (nspname, nspname || '_owner', nspname || '_system'))
    union all
    select format('%s may %s %s.%s(%s)', coalesce(grantee.rolname, 'everybody'), privilege_type, nspname, relname, attname)
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace,
      aclexplode(attacl) as granted left join pg_roles grantee on grantee.oid = granted.grantee
    where nspname in ${sql([...schemas])}
      and (grantee.rolname is null or grantee.rolname not in (nspname, nspname || '_owner', nspname || '_system'))
      and not (privilege_type = 'SELECT' and nspname = 'accounts' and not is_grantable
        and grantee.rolname = 'gateway_system'
        and format('%s.%s', relname, attname) in ${sql(columnsOfTheGateway.map(({ table, column }) => `${table}.${column}`))})
    union all
    select format('%s may grant %s.%s to others', grantee::regrole, nspname, relname)
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace, aclexplode(relacl)
    where nspname in ${sql([...schemas])} and is_grantable
    union all
    select format('%s owns %s', owner.rolname, relname)
    from pg_class join pg_roles owner on owner.oid = relowner
    where owner.rolname in ${sql(serving)}
    union all
    select format('%s is a superuser, creates roles or databases, replicates, or bypasses row-level security', rolname)
    from pg_roles
    where rolname in ${sql([...allRoles])}
      and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)
    union all
    select format('%s is a member of %s', member::regrole, roleid::regrole)
    from pg_auth_members where member::regrole::text in ${sql([...allRoles])}
    union all
    select format('%s.%s does not force row-level security', nspname, relname)
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname in ${sql([...schemas])} and relkind in ('r', 'p') and relname <> 'schema_migrations'
      and not (relrowsecurity and relforcerowsecurity)
    union all
    select format('the policy %s on %s.%s lets %s see every store', policyname, schemaname, tablename, roles)
    from pg_policies
    where schemaname in ${sql([...schemas])}
      -- These belong to no store: until when all reports are closed, which restore was fenced, which providers fail, and
      -- which shards of message delivery are open. Only the system role changes them.
      and (tablename, policyname, cmd) not in (
        ('report_closing', 'reading', 'SELECT'), ('restore_fence', 'reading', 'SELECT'),
        ('provider_circuits', 'reading', 'SELECT'), ('delivery_shards', 'reading', 'SELECT'))
      -- The gateway looks a key up before it knows the store.
      and not (schemaname = 'accounts' and policyname = 'system' and cmd = 'SELECT' and roles = array['gateway_system']::name[])
      and not roles <@ array[schemaname || '_system', schemaname || '_owner']::name[]
      and (qual is null or qual not like '%mostrador.store_id%')
      and coalesce(with_check, '') not like '%mostrador.store_id%'`;
  return found.map(({ fault }) => fault).sort();
}

/**
 * What a role of the services lacks in the database of this connection: its login, its schema, its extensions, and the
 * reads of the gateway. What a service may do with its own tables comes with its migrations.
 */
export async function findMissingRights(sql: ISql): Promise<string[]> {
  const uses = schemas.flatMap((schema) => [schema, `${schema}_system`].map((role) => ({ role, schema })));
  const extended = schemas.flatMap((schema) => [schema, `${schema}_owner`]);
  const searches = allRoles.map((role) => ({
    role,
    schema: role === 'gateway_system' ? 'accounts' : role.replace(/_(owner|system)$/, ''),
  }));
  const found = await sql<{ fault: string }[]>`
    with
      present as (select oid, rolname, rolconfig from pg_roles where rolname in ${sql([...allRoles])} and rolcanlogin),
      place as (select oid as there, nspname from pg_namespace where nspname in ${sql([...schemas])}),
      uses as (select * from jsonb_to_recordset(${JSON.stringify(uses)}::text::jsonb) as uses(role text, schema text)),
      searches as (
        select * from jsonb_to_recordset(${JSON.stringify(searches)}::text::jsonb) as searches(role text, schema text)),
      reads as (
        select * from jsonb_to_recordset(${JSON.stringify(columnsOfTheGateway)}::text::jsonb)
          as reads("table" text, "column" text))
    select format('the role %s does not exist, or may not log in', role) as fault
    from unnest(${allRoles as string[]}::text[]) role where role not in (select rolname from present)
    union all
    select format('the schema %s does not exist', name)
    from unnest(${[...schemas]}::text[]) name where name not in (select nspname from place)
    union all
    select format('the schema %s belongs to %s, not to %s_owner', nspname, nspowner::regrole, nspname)
    from pg_namespace where nspname in ${sql([...schemas])} and nspowner::regrole::text <> nspname || '_owner'
    union all
    select format('%s may not use the schema %s', role, schema)
    from uses join present on rolname = role join place on nspname = schema
    where not has_schema_privilege(present.oid, there, 'usage')
    union all
    select format('%s does not search the schema %s', role, schema)
    from searches join present on rolname = role
    where not format('search_path=%s', schema) = any (coalesce(rolconfig, '{}'))
    union all
    select format('the extension %s is not in the schema %s', name, ${extensions.schema}::text)
    from unnest(${[...extensions.names]}::text[]) name
    where not exists (
      select from pg_extension where extname = name and extnamespace::regnamespace::text = ${extensions.schema})
    union all
    select format('%s may not use the schema %s', rolname, nspname)
    from present, pg_namespace
    where nspname = ${extensions.schema} and rolname in ${sql(extended)}
      and not has_schema_privilege(present.oid, pg_namespace.oid, 'usage')
    union all
    -- A schema without tables waits for its migrations, which grant this.
    select format('gateway_system may not read accounts.%s(%s)', "table", "column")
    from reads join pg_class on relname = "table" join place on there = relnamespace and nspname = 'accounts'
      join present on rolname = 'gateway_system'
    where not has_column_privilege(present.oid, pg_class.oid, "column", 'select')`;
  return found.map(({ fault }) => fault).sort();
}
