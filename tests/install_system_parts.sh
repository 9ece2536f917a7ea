#!/bin/sh
# Installs what the tests use of the operating system: a second PostgreSQL, an IMAP
# server, an MQTT broker, Node.js with npm for a ROS client written in JavaScript, and a browser.
set -u
wanted=""
[ -x /usr/lib/postgresql/15/bin/postgres ] || wanted="$wanted postgresql-15"
[ -x /usr/sbin/dovecot ] || wanted="$wanted dovecot-imapd"
# A process on a machine whose clock is wrong.
command -v faketime >/dev/null 2>&1 || wanted="$wanted faketime"
# Checks the units of systemd.
command -v systemd-analyze >/dev/null 2>&1 || wanted="$wanted systemd"
# A broker for vehicles that speak VDA 5050.
[ -x /usr/sbin/mosquitto ] || wanted="$wanted mosquitto"
command -v npm >/dev/null 2>&1 || wanted="$wanted nodejs npm"
command -v chromium >/dev/null 2>&1 || wanted="$wanted chromium"
# The same browser without a window, at a fifth of the CPU time.
if ! command -v chromium-headless-shell >/dev/null 2>&1 \
    && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    wanted="$wanted chromium-headless-shell"
fi
[ -n "$wanted" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "Not installed, so their tests are skipped:$wanted"
    exit 0
fi
echo "Installing for the tests:$wanted"
export DEBIAN_FRONTEND=noninteractive
# A package must not start its own service beside ours.
blocker=/usr/sbin/policy-rc.d
if [ ! -e "$blocker" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$blocker" && chmod +x "$blocker"
    trap 'rm -f "$blocker"' EXIT
fi
log=$(mktemp)
# shellcheck disable=SC2086
{ apt-get -qq update && apt-get -qq install -y --no-install-recommends $wanted; } \
    >"$log" 2>&1 || { echo "That failed:"; tail -5 "$log"; }
rm -f "$log"
exit 0
