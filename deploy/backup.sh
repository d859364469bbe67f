#!/bin/sh
# A backup of the database at $DATABASE_URL and of $DATA_DIR/files, in a new directory of $BACKUPS named for the moment.
# The newest $BACKUPS_KEPT (7) stay. Needs pg_dump of the server's version. docs/operating.md, Backups.
set -eu
umask 077
now=$(date -u +%Y-%m-%dT%H-%M-%SZ)
made="$BACKUPS/.unfinished"
rm -rf "$made"
mkdir "$made"

# Stored files never change, so copied before and after the dump they include every file that the dump names. One may be
# deleted while it is copied: then once more.
copy_files() {
    [ ! -d "$DATA_DIR/files" ] || cp -R --preserve=timestamps "$DATA_DIR/files" "$made/"
}

copy_files || copy_files
pg_dump --format=custom --file="$made/studyservice.dump" "$DATABASE_URL"
copy_files || copy_files
mv "$made" "$BACKUPS/$now"

# Oldest first; the names sort by time.
count=$(find "$BACKUPS" -mindepth 1 -maxdepth 1 -type d -name '2*' | wc -l)
for old in "$BACKUPS"/2*; do
    [ "$count" -gt "${BACKUPS_KEPT:-7}" ] || break
    rm -rf "$old"
    count=$((count - 1))
done
echo "Backed up to $BACKUPS/$now."
