#!/bin/sh
# Called by udhcpc ($1 is the event) and dhclient ($reason): sets the address and notes what was told in $NOTES.
event=${1:-$reason}
address=${ip:-$new_ip_address}
case $event in
  bound | renew | BOUND | RENEW | REBIND | REBOOT)
    ip address replace "$address/24" dev "$interface"
    ;;
  deconfig | PREINIT | RELEASE | EXPIRE | FAIL | STOP)
    ip address flush dev "$interface"
    ip link set "$interface" up
    ;;
esac
echo "$event $address router=${router:-$new_routers} boot=${boot_file:-$new_filename} server=${serverid:-$new_dhcp_server_identifier}" >>"$NOTES"
