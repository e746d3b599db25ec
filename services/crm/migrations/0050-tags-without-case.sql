-- Compares tags without case, and with accents. Not `lower(tag)`: it is not leakproof, so row-level security would keep the
-- filter from an index, and a comparison by a collation is.
create collation without_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
