-- The place that is held for a call while a person is to decide about it.
alter table ai_steps add column hold_id uuid, add column held_until timestamptz(3);

alter table ai_turns
  -- The lead about whom a turn asks a person: its own, or the one that was merged with it. Null: it asks for nothing.
  add column asked_lead_id uuid,
  -- What the person has decided, when, and who it was.
  add column decision text check (decision in ('confirm', 'decline')),
  add column decided_at timestamptz(3),
  add column decided_by jsonb;
