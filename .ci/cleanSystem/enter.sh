#!/usr/bin/env bash
# enter.sh ROOT [FROM:TO:ro|rw]... -- COMMAND...: runs a command in a root, with folders and files of the machine
# mounted in it. To be started in a mount namespace of its own (unshare --mount), with which the mounts vanish.
set -euo pipefail
root=$1
shift
while [ "$1" != -- ]; do
  IFS=: read -r from to mode <<<"$1"
  shift
  if [ -d "$from" ]; then
    mkdir -p "$root$to"
  else
    mkdir -p "$(dirname "$root$to")"
    [ -e "$root$to" ] || touch "$root$to"
  fi
  mount --bind "$from" "$root$to"
  [ "$mode" = rw ] || mount -o remount,bind,ro "$root$to"
done
shift
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "$root" "$@"
