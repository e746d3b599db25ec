-- A merge of leads deletes the conversation whose rows it has moved.
grant delete on conversations to messaging;
