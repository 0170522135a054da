-- Since when somebody who has fewer places wants that of this host: its workflow gives it back at the end of a slice. Kept
-- until the host is fed again, so that a workflow that went on all the same gives it back after its next one.
alter table host add column yield_at timestamptz;
