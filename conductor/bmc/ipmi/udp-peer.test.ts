import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { Deadline } from './deadline.ts';
import { UdpPeer } from './udp-peer.ts';

it.each([undefined, '127.0.0.3'])('sends from the local address %s', async (localAddress) => {
  const bmc = createSocket('udp4');
  bmc.bind(0, '127.0.0.1');
  await once(bmc, 'listening');
  const deadline = new Deadline('test', { now: () => new Date(), limitMs: 5_000, signals: [] });
  const peer = await UdpPeer.connect({ host: '127.0.0.1', port: bmc.address().port, localAddress }, deadline);
  onTestFinished(() => {
    peer.close();
    bmc.close();
  });
  const arrived = once(bmc, 'message') as Promise<[Buffer, RemoteInfo]>;
  peer.send(Buffer.from('hello'));
  expect((await arrived)[1].address).toBe(localAddress ?? '127.0.0.1');
});
