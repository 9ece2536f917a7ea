#!/bin/sh
# Makes the files of secrets that compose.yaml reads; what is there already stays.
#   sh deploy/secrets.sh [DIRECTORY]
# IMAP_URL and SMTP_URL of the environment, else asked for: imaps://user:password@host/INBOX
set -eu
umask 077
directory=${1:-secrets}
mkdir -p "$directory"

keep() { # file, value
    [ -s "$directory/$1" ] || printf '%s\n' "$2" >"$directory/$1"
    chmod 0444 "$directory/$1" # the account in the container must read it
}

ask() { # variable's value, question
    if [ -n "$1" ]; then printf '%s' "$1"; return; fi
    printf '%s: ' "$2" >&2
    read -r answer
    printf '%s' "$answer"
}

if [ ! -s "$directory/database_password" ]; then
    keep database_password "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
fi
password=$(cat "$directory/database_password")
chmod 0700 "$directory"
keep database_url "postgresql://mpms:$password@postgres:5432/mpms"
[ -s "$directory/imap_url" ] || keep imap_url "$(ask "${IMAP_URL:-}" "Mailbox of orders")"
[ -s "$directory/smtp_url" ] || keep smtp_url "$(ask "${SMTP_URL:-}" "Server for replies")"
echo "The secrets are in $directory."
