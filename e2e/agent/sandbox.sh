#!/usr/bin/env bash
# sandbox.sh VENV OUT PLUGIN CMD...   (Linux; root, or user namespaces)
# Runs CMD in network, mount and host-name namespaces of its own: loopback only, host name "devbox", HOME=/home/user with
# VENV at /home/user/venv, this folder at /home/user/lab and PLUGIN at /home/user/plugin (both read-only), and OUT at
# /home/user/out. Nothing of the real home or network is visible to the agent, so PATH is the system's alone.
set -euo pipefail
venv=$(realpath "$1") out=$(realpath "$2") plugin=$(realpath "$3")
shift 3
lab=$(dirname "$(realpath "$0")")
flags=(-n -m -u)
[ "$(id -u)" = 0 ] || flags+=(-r)
exec unshare "${flags[@]}" bash -c '
set -euo pipefail
venv=$1 out=$2 lab=$3 plugin=$4; shift 4
ip link set lo up
hostname devbox
mount --make-rprivate /
mounts=$(mktemp -d)
mount -t tmpfs tmpfs "$mounts"
for name in venv out lab plugin; do mkdir "$mounts/$name"; done
mount --bind "$venv" "$mounts/venv"
mount --bind "$out" "$mounts/out"
mount --bind -o ro "$lab" "$mounts/lab"
mount --bind -o ro "$plugin" "$mounts/plugin"
mount -t tmpfs tmpfs /home
mkdir -p /home/user/{venv,out,lab,plugin,tmp}
for name in venv out lab plugin; do mount --move "$mounts/$name" "/home/user/$name"; done
cd /home/user
exec env -i HOME=/home/user USER=user LOGNAME=user LANG=C.UTF-8 TZ=UTC TERM=xterm-256color \
  TMPDIR=/home/user/tmp PATH=/home/user/venv/bin:/usr/local/bin:/usr/bin:/bin SHELL=/bin/bash \
  PYTHONDONTWRITEBYTECODE=1 "$@"
' bash "$venv" "$out" "$lab" "$plugin" "$@"
