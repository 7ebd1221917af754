#!/bin/sh
# Called by ipmi_sim: chassis.sh DIR get|set|check PARAMETER [VALUE] ...
# DIR/qemu.args holds the machine's QEMU arguments, one a line; DIR/bootdev what the BMC was told to boot.
# A shell script since it runs at every status query and must start in no time. Fixed words only.
dir=$1
operation=$2
shift 2
cd "$dir" || exit 1

running() { [ -s qemu.pid ] && kill -0 "$(cat qemu.pid)" 2>/dev/null; }

power_on() {
  running && return 0
  rm -f qemu.pid
  device=$(cat bootdev 2>/dev/null || echo none)
  # A network boot is for the next start only, as BMCs do it.
  case $device in
    pxe) network=1 disk=2; echo none > bootdev ;;
    default) network=2 disk=1 ;;
    *) . ./boot-order ;;
  esac
  set --
  while IFS= read -r argument; do
    case $argument in
      *@NETWORK@*) argument="${argument%@NETWORK@*}${network:+,bootindex=$network}" ;;
      *@DISK@*) argument="${argument%@DISK@*}${disk:+,bootindex=$disk}" ;;
    esac
    set -- "$@" "$argument"
  done < qemu.args
  echo "$(date +%s) on $device" >> calls.log
  qemu-system-x86_64 "$@" > qemu.log 2>&1 < /dev/null 3>&- || { cat qemu.log; exit 1; }
}

power_off() {
  running || return 0
  pid=$(cat qemu.pid)
  kill "$pid"
  tries=0
  while kill -0 "$pid" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -gt 50 ] && kill -9 "$pid"
    sleep 0.1
  done
  rm -f qemu.pid
  echo "$(date +%s) off" >> calls.log
}

case $operation in
  get)
    for parameter; do
      case $parameter in
        power) running && echo power:1 || echo power:0 ;;
        boot) echo "boot:$(cat bootdev 2>/dev/null || echo none)" ;;
        *) echo "unknown parameter $parameter"; exit 1 ;;
      esac
    done
    ;;
  set)
    while [ $# -gt 0 ]; do
      parameter=$1 value=$2
      shift 2
      case $parameter in
        power) if [ "$value" = 1 ]; then power_on; else power_off; fi ;;
        reset) power_off; power_on ;;
        shutdown) power_off ;;
        boot) echo "$value" > bootdev ;;
        *) echo "unknown parameter $parameter"; exit 1 ;;
      esac
    done
    ;;
  *) exit 1 ;;
esac
exit 0
