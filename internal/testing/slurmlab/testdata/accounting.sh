# SPDX-License-Identifier: Apache-2.0
# Sourced by up.sh --accounting: a private mariadb, and slurmdbd on it.

mkdir "$DIR/sql"
mariadb-install-db --no-defaults --datadir="$DIR/sql" --user="$(id -un)" --skip-test-db \
  --auth-root-authentication-method=normal >"$DIR/log/mariadb-install.out" 2>&1
launch mariadbd mariadbd --no-defaults --user="$(id -un)" --datadir="$DIR/sql" \
  --socket="$DIR/run/sql.sock" --pid-file="$DIR/state/mariadbd.pid" \
  --bind-address=127.0.0.1 --port="$sql_port" --skip-log-bin \
  --innodb-buffer-pool-size=64M --innodb-lock-wait-timeout=900
grant() {
  mariadb --no-defaults -u root -S "$DIR/run/sql.sock" -e \
    "create user slurm@'127.0.0.1' identified by 'lab'; grant all on slurm_acct.* to slurm@'127.0.0.1'"
}
wait_for 30 grant || die "mariadb does not start"

# slurmdbd refuses a file that others can read.
(umask 077; sed "${edits[@]}" "$here/slurmdbd.conf.in" >"$DIR/etc/slurmdbd.conf")
launch slurmdbd slurmdbd -D
wait_for 30 sacctmgr -n show cluster || die "slurmdbd does not start"
