#!/bin/sh
# Creates Temporal's two databases and brings their schemas up to date. Safe to run again. Needs SQL_HOST, SQL_USER and
# SQL_PASSWORD, and the programs of the temporalio/admin-tools image.
set -eu

schemas=/etc/temporal/schema/postgresql/v12

bring_up() {
  database=$1
  schema=$2
  tool() { temporal-sql-tool --plugin postgres12 --ep "$SQL_HOST" -p 5432 -u "$SQL_USER" --db "$database" "$@"; }
  tool create
  tool setup-schema -v 0.0
  tool update-schema -d "$schemas/$schema/versioned"
}

bring_up temporal temporal
bring_up temporal_visibility visibility
