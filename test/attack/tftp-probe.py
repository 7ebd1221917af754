"""Sends TFTP requests and never acknowledges: tftp-probe.py TARGET PORT HEX SECONDS; prints the bytes of all answers."""
import socket
import sys
import time

target, port, payload, seconds = sys.argv[1:]
total = 0
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
    sock.sendto(bytes.fromhex(payload), (target, int(port)))
    end = time.monotonic() + float(seconds)
    while (left := end - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            total += len(sock.recv(65536))
        except socket.timeout:
            break
print(total)
