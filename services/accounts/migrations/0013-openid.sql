-- The account of a person at the OpenID provider. The provider's name for it (`sub`) never changes, unlike an email address.
create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users (id),
  created_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3) not null default clock_timestamp(),
  primary key (issuer, subject),
  -- A second account with the same address is another person, or the same one after a mishap: the operator decides.
  unique (user_id, issuer)
);

-- Browsers that went to the provider. Deleted by their return.
create table oidc_attempts (
  -- SHA-256 of the token in the browser's cookie, from which everything secret of the attempt derives.
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  expires_at timestamptz(3) not null
);
create index oidc_attempts_expiry on oidc_attempts (expires_at);

-- Since when the person's account at the provider opens this store. Null: it does not. It is not `joined_at`, because
-- the holder of a link may have set the password, and the provider's word is about an email address.
alter table memberships add column confirmed_at timestamptz(3);
grant update (confirmed_at) on memberships to accounts_system;

alter table oidc_identities enable row level security;
alter table oidc_identities force row level security;
alter table oidc_attempts enable row level security;
alter table oidc_attempts force row level security;
create policy every_person on oidc_identities to accounts_system using (true) with check (true);
create policy every_attempt on oidc_attempts to accounts_system using (true) with check (true);
grant select, insert, delete on oidc_identities, oidc_attempts to accounts_system;
grant update (last_used_at) on oidc_identities to accounts_system;
