#!/bin/sh
# Chassis of an ipmi_sim: sim-chassis.sh DIR get|set PARM [VALUE] ...; power and boot device are files in DIR.
dir=$1 op=$2
shift 2
case $op in
  get)
    for parm; do echo "$parm:$(cat "$dir/$parm" 2>/dev/null || echo 0)"; done
    ;;
  set)
    while [ $# -ge 2 ]; do
      echo "$1 $2" >>"$dir/calls"
      case $1 in
        power | boot) echo "$2" >"$dir/$1" ;;
        reset) echo 1 >"$dir/power" ;;
        shutdown) echo 0 >"$dir/power" ;;
      esac
      shift 2
    done
    ;;
esac
