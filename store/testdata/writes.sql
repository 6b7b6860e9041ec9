DELETE FROM trial
delete from results
UPDATE trial SET status = 'wrong'
INSERT INTO rule VALUES ('a', 1, '{}')
REPLACE INTO rule VALUES ('a', 1, '{}')
INSERT INTO rule VALUES ('a', 1, '{}') RETURNING sweep
WITH x AS (SELECT 1) DELETE FROM trial
EXPLAIN DELETE FROM trial
DROP TABLE trial
DROP VIEW results
ALTER TABLE trial ADD COLUMN x
CREATE TABLE x (y)
CREATE TEMP TABLE x (y)
CREATE TEMP TABLE x AS SELECT * FROM trial
CREATE VIEW x AS SELECT 1
CREATE TEMP VIEW x AS SELECT 1
CREATE INDEX x ON trial (block)
CREATE TRIGGER x AFTER INSERT ON trial BEGIN SELECT 1; END
CREATE VIRTUAL TABLE x USING fts3(y)
CREATE VIRTUAL TABLE temp.x USING rtree(a, b, c)
VACUUM
VACUUM INTO 'DIR/vacuum'
REINDEX
ANALYZE
BEGIN
BEGIN IMMEDIATE
COMMIT
SAVEPOINT x
ATTACH 'DIR/attached' AS x
ATTACH ':memory:' AS x
DETACH main
PRAGMA query_only = 0
PRAGMA query_only(0)
pragma QUERY_ONLY = off
PRAGMA main.user_version = 7
PRAGMA application_id(7)
PRAGMA journal_mode = DELETE
PRAGMA journal_mode(off)
PRAGMA writable_schema = 1
PRAGMA wal_checkpoint
PRAGMA wal_checkpoint(TRUNCATE)
PRAGMA incremental_vacuum
PRAGMA optimize
PRAGMA foreign_keys = 0
PRAGMA locking_mode = EXCLUSIVE
PRAGMA temp_store_directory = 'DIR'
SELECT * FROM pragma_journal_mode('delete')
SELECT * FROM pragma_user_version(9)
SELECT load_extension('DIR/x.so')
SELECT writefile('DIR/written', 'x')
SELECT 1; DELETE FROM trial
SELECT ';' ; DELETE FROM trial
SELECT 1 /* ; */ ; -- DELETE\n DELETE FROM trial
; DELETE FROM trial
-- nothing\n; DELETE FROM trial
/* SELECT */ DELETE FROM trial
results; DROP TABLE trial
results" WHERE 0; DROP TABLE trial; --
