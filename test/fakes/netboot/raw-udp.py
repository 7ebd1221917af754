"""Sends one UDP packet with any source: raw-udp.py SOURCE SOURCE_PORT TARGET TARGET_PORT HEX. Node has no raw sockets."""
import socket
import struct
import sys

source, source_port, target, target_port, payload = sys.argv[1:]
data = bytes.fromhex(payload)
udp = struct.pack('!HHHH', int(source_port), int(target_port), 8 + len(data), 0) + data
header = struct.pack('!BBHHHBBH4s4s', 0x45, 0, 20 + len(udp), 1, 0, 64, socket.IPPROTO_UDP, 0,
                     socket.inet_aton(source), socket.inet_aton(target))
with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
    raw.sendto(header + udp, (target, 0))
