-- From this moment on the message is not sent. Null: only its age ends its wait.
alter table messages add column expires_at timestamptz(3);
