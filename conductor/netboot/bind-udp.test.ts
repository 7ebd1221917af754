import { createSocket, Socket } from 'node:dgram';
import { afterEach, expect, it, vi } from 'vitest';
import { bindUdp } from './bind-udp.ts';

const opened: Socket[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const socket of opened.splice(0)) socket.close();
});

/** A port that this test holds. */
async function takenPort(): Promise<number> {
  const socket = createSocket('udp4');
  await bindUdp(socket, { service: 'TFTP', address: '127.0.0.1', port: 0 });
  opened.push(socket);
  return socket.address().port;
}

it('a bound socket has its address, and no listener is left on it', async () => {
  const port = await takenPort();
  expect(opened[0]!.address()).toMatchObject({ address: '127.0.0.1', port });
  expect(opened[0]!.listenerCount('error')).toBe(0);
});

it('a port that is taken is named with its service and advice, and the socket is closed', async () => {
  const port = await takenPort();
  const socket = createSocket('udp4');
  const close = vi.spyOn(socket, 'close');
  const text = `TFTP cannot listen on 127.0.0.1 port ${port}: another program uses this port`;
  await expect(bindUdp(socket, { service: 'TFTP', address: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(text),
  });
  expect(close).toHaveBeenCalledTimes(1);
});

it.each([
  ['EACCES', 'ports below 1024 need root or CAP_NET_BIND_SERVICE'],
  ['EADDRNOTAVAIL', 'the interface no longer has this address'],
  ['ENOBUFS', 'ENOBUFS'],
  [undefined, 'unknown error'],
])('the error %s is explained: %s', async (code, advice) => {
  vi.spyOn(Socket.prototype, 'bind').mockImplementation(function (this: Socket) {
    queueMicrotask(() => this.emit('error', Object.assign(new Error('bind'), code && { code })));
    return this;
  });
  const failed = bindUdp(createSocket('udp4'), { service: 'DHCP', address: '10.0.0.1', port: 67 });
  await expect(failed).rejects.toThrow(`DHCP cannot listen on 10.0.0.1 port 67: ${advice}`);
});
