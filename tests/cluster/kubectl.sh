#!/bin/sh
# What `kubectl exec -i`, `get pods`, `taint` and `annotate` do, for the test pods of the folder $0 is in: pods.json, a file
# nodes.log with the words of each change of a node, and a folder per pod
# with `pid` and `cgroups`. The command gets the environment of the container, not that of the caller, and a session of its own.
here=${0%/*}
if [ -e "$here/forbidden" ]; then
  cat "$here/forbidden" >&2
  exit 1
fi
verb=$1
shift
if [ "$verb" = get ]; then
  exec cat "$here/pods.json"
fi
if [ "$verb" = taint ] || [ "$verb" = annotate ]; then
  printf '%s|' "$verb" "$@" >>"$here/nodes.log"
  exec echo >>"$here/nodes.log"
fi
pod=
while [ "$1" != -- ]; do
  case $1 in -*) ;; *) pod=$1 ;; esac
  shift
done
shift
if [ ! -e "/proc/$(cat "$here/$pod/pid" 2>/dev/null)/ns" ]; then
  echo "Error from server (NotFound): pods \"$pod\" not found" >&2
  exit 1
fi
for group in $(cat "$here/$pod/cgroups"); do echo $$ >"$group/cgroup.procs"; done
env -i PATH=/usr/bin:/bin HOSTNAME="$pod" KUBERNETES_SERVICE_HOST=10.96.0.1 \
  nsenter --target "$(cat "$here/$pod/pid")" --all --wd=/ setsid "$@"
code=$?
[ $code = 0 ] || echo "command terminated with exit code $code" >&2
exit $code
