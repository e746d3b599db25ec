-- A gauge shows the endpoints that fail, and the log names them.
grant select (failing_since) on webhook_endpoints to events_system;
