#!/bin/sh
# Writes the requirements with hashes: sh requirements/write.sh PATH_OF_UV
set -eu
cd "$(dirname "$0")/.."
uv=$1
everywhere="python_full_version < '3.15' and platform_python_implementation == 'CPython'"

write() { # name, then what it contains
    file=requirements/$1.txt
    shift
    "$uv" pip compile pyproject.toml "$@" --constraint constraints.txt --universal \
        --python-version 3.11 --generate-hashes --no-header --no-annotate \
        --no-emit-index-url --quiet --output-file "$file.new" >/dev/null
    # The marker of every line, which says nothing.
    sed -e "s/$everywhere and //" -e "s/ ; $everywhere / /" "$file.new" >"$file"
    rm "$file.new"
}

write server --group build
write demo --extra demo --extra records --group build
write development --all-extras --group build --group test --group lint
write bench --group bench
write supply --group supply
