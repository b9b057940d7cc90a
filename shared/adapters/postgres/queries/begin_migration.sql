-- A migration that cannot have its lock at once gives way, instead of making every request queue behind it.
BEGIN;
SET LOCAL lock_timeout = '5s';
