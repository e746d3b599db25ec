-- contract
-- The gateway shows the store of a request over the connections that check its key.
grant select (name, created_at) on stores to gateway_system;
