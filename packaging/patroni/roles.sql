-- Roles and database of a ledger, once, on the primary: sudo -u postgres psql -v ON_ERROR_STOP=1 -f roles.sql
-- Then give both a password in the same psql, where no log sees it: \password pixledger, \password pixledger_owner
--   pixledger        the nodes' role: reads and adds, and can neither change nor delete an event
--   pixledger_owner  makes the ledger (init, migrate, restore) and removes what an erasure left: not in a passfile for long
CREATE ROLE pixledger_owner LOGIN;
CREATE ROLE pixledger LOGIN;
CREATE DATABASE pixledger OWNER pixledger_owner TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE pixledger FROM PUBLIC;
GRANT CONNECT ON DATABASE pixledger TO pixledger;
-- For the steps after an erasure.
GRANT pg_checkpoint, pg_monitor TO pixledger_owner;
\connect pixledger
GRANT EXECUTE ON FUNCTION pg_switch_wal() TO pixledger_owner;
