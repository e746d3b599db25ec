#!/bin/sh
# Runs a command in the mounted root file system of an image as a container engine would: read-only, as the user of the
# image, without any capability. It shares network and process ids with this machine.
# Usage: unshare --mount in-image.sh ROOT USER:GROUP FOLDER COMMAND...
set -eu
root=$1
user=$2
folder=$3
shift 3

mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -o remount,bind,ro "$root"
exec chroot "$root" setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups --no-new-privs \
  --inh-caps=-all --bounding-set=-all -- env -C "$folder" "$@"
