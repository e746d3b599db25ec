-- Raised whenever the rollups of the reports are forgotten: totals that were read before may differ from those read now.
alter table report_closing add column generation integer not null default 1;
