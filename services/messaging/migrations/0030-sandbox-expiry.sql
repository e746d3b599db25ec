-- The address of a sandbox is looked up before its store is known, and ends some time after it was connected.
grant select (connected_at) on channels to messaging_system;
