#!/bin/sh
# Called by ipmi_sim for LAN parameters: fixed answers.
shift
[ "$1" = get ] || exit 0
shift
for parameter; do
  case $parameter in
    ip_addr) echo ip_addr:127.0.0.1 ;;
    ip_addr_src) echo ip_addr_src:static ;;
    mac_addr) echo mac_addr:52:54:00:aa:00:01 ;;
    subnet_mask) echo subnet_mask:255.255.255.0 ;;
    default_gw_ip_addr | backup_gw_ip_addr) echo "$parameter:0.0.0.0" ;;
    default_gw_mac_addr | backup_gw_mac_addr) echo "$parameter:00:00:00:00:00:00" ;;
    *) echo "$parameter:0" ;;
  esac
done
