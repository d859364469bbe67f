#!/bin/sh
# Back up the database at $DATABASE_URL (without it SQLite in $DATA_DIR), $DATA_DIR/files and $DATA_DIR/gone.jsonl, into a
# new directory of $BACKUPS named for the time. It counts after a test restore into a temporary database; then only the newest
# $BACKUPS_KEPT (7) are kept. `backup.sh age` only prints the age of the newest.
#
# PostgreSQL: needs pg_dump, pg_restore and psql of the server's version, and a role that may create databases.
# BACKUPS_VERIFY=no skips the restore. SQLite: needs python3. docs/operating.md, Backups.
set -eu
umask 077
now=$(date -u +%Y-%m-%dT%H-%M-%SZ)
made="$BACKUPS/.unfinished"
trial="study_verify_$(date -u +%s)_$$"

say_age() {
    newest=$(find "$BACKUPS" -mindepth 1 -maxdepth 1 -type d -name '2*' | sort | tail -n 1)
    if [ -z "$newest" ]; then
        echo "There is no backup in $BACKUPS."
        return 1
    fi
    echo "The newest backup, $newest, is $((($(date +%s) - $(stat -c %Y "$newest")) / 3600)) hours old."
}

# The address of another database of the same server.
address_of() {
    case "$DATABASE_URL" in
        *://*) printf '%s\n' "$DATABASE_URL" | sed -E "s#^([a-z]+://[^/]*)/[^?]*#\1/$1#" ;;
        *) printf '%s dbname=%s\n' "$DATABASE_URL" "$1" ;;
    esac
}

ask() { psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --dbname="$1" --command="$2"; }

drop_trial() { ask "$DATABASE_URL" "DROP DATABASE IF EXISTS $trial" || echo "Drop the database $trial by hand." >&2; }

back_up_postgresql() {
    pg_dump --format=custom --file="$made/studyservice.dump" "$DATABASE_URL"
    if [ "${BACKUPS_VERIFY:-yes}" = yes ]; then
        ask "$DATABASE_URL" "CREATE DATABASE $trial TEMPLATE template0"
        trap drop_trial EXIT
        pg_restore --exit-on-error --no-owner --dbname="$(address_of "$trial")" "$made/studyservice.dump"
        [ "$(ask "$(address_of "$trial")" "$migrations")" = "$(ask "$DATABASE_URL" "$migrations")" ]
        echo "Restored it into a temporary database. Members: $(ask "$(address_of "$trial")" "$members")."
        trap - EXIT
        drop_trial
    fi
}
migrations="SELECT count(*) FROM django_migrations"
members="SELECT count(*) FROM accounts_member"
note="INSERT INTO accounts_lastrun (name, finished_at) VALUES ('backup', current_timestamp)
      ON CONFLICT (name) DO UPDATE SET finished_at = current_timestamp"

# The copy is a database, so reading all of it is the restore.
back_up_sqlite() {
    python3 - "$file" "$made/studyservice.sqlite3" <<END
import sqlite3, sys
source, copy = sys.argv[1:]
sqlite3.connect(f"file:{source}?mode=rw", uri=True, timeout=60).execute("VACUUM INTO ?", [copy])
made = sqlite3.connect(copy)
found = made.execute("PRAGMA integrity_check").fetchall()
if found != [("ok",)]:
    sys.exit(f"The copy is damaged: {found[:3]}")
print(f"Read all of the copy. Members: {made.execute('$members').fetchone()[0]}.")
END
}

note_in_sqlite() {
    python3 - "$file" "$note" <<END
import sqlite3, sys
with sqlite3.connect(sys.argv[1], timeout=60) as database:
    database.execute(sys.argv[2])
END
}

# Stored files never change, so copies made before and after the dump include every file that it names. If one is deleted
# while it is copied, copy again.
copy_files() {
    [ ! -d "$DATA_DIR/files" ] || cp -R --preserve=timestamps "$DATA_DIR/files" "$made/"
}

if [ "${1:-}" = age ]; then
    say_age
    exit
fi
say_age || true
rm -rf "$made"
mkdir -p "$made/files"
copy_files || copy_files
case "${DATABASE_URL:=sqlite:///$DATA_DIR/studyservice.sqlite3}" in
    sqlite:///*)
        file="${DATABASE_URL#sqlite:///}"
        back_up_sqlite
        ;;
    *) back_up_postgresql ;;
esac
copy_files || copy_files
# The record for redo-gone. It is copied last, so that it covers the dump.
if [ -e "$DATA_DIR/gone.jsonl" ]; then cp "$DATA_DIR/gone.jsonl" "$made/"; else : >"$made/gone.jsonl"; fi
mv "$made" "$BACKUPS/$now"
case "$DATABASE_URL" in
    sqlite:///*) note_in_sqlite ;;
    *) ask "$DATABASE_URL" "$note" ;;
esac

# Oldest first; the names sort by time.
count=$(find "$BACKUPS" -mindepth 1 -maxdepth 1 -type d -name '2*' | wc -l)
for old in "$BACKUPS"/2*; do
    [ "$count" -gt "${BACKUPS_KEPT:-7}" ] || break
    rm -rf "$old"
    count=$((count - 1))
done
echo "Backed up to $BACKUPS/$now."
