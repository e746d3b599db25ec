-- What names the message that a message quotes, whether that one is stored or not, so that it is found when it comes later.
alter table messages add column quoted_key text;
