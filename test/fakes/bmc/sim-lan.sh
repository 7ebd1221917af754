#!/bin/sh
# LAN parameters of an ipmi_sim: sim-lan.sh get|set|check PARM ...; fixed answers.
op=$1
shift
[ "$op" = get ] || exit 0
for parm; do
  case $parm in
    ip_addr) echo "$parm:127.0.0.1" ;;
    ip_addr_src) echo "$parm:static" ;;
    mac_addr) echo "$parm:52:54:00:aa:00:01" ;;
    subnet_mask) echo "$parm:255.255.255.0" ;;
    *_gw_ip_addr) echo "$parm:0.0.0.0" ;;
    *_gw_mac_addr) echo "$parm:00:00:00:00:00:00" ;;
    *) echo "$parm:0" ;;
  esac
done
