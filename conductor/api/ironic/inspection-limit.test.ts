import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { errorSender } from '../kit/errors.ts';
import { createInspectionLimit } from './inspection-limit.ts';

async function serve(limits: { perAddress: number; inAll: number }) {
  const app = Fastify();
  app.setErrorHandler(errorSender({ application: () => ({}), router: () => ({}) }));
  app.post('/', { onRequest: createInspectionLimit(limits) }, async () => ({}));
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  /** A request whose body never ends. */
  const hang = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    return socket;
  };
  const post = async () =>
    (
      await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      })
    ).status;
  return { hang, post };
}

it.each([
  ['an address', { perAddress: 2, inAll: 9 }],
  ['all addresses', { perAddress: 9, inAll: 2 }],
])('refuses more bodies at once of %s, until one ends', async (_, limits) => {
  const { hang, post } = await serve(limits);
  const first = await hang();
  await expect.poll(post).toBe(200);
  const second = await hang();
  await expect.poll(post).toBe(503);
  first.destroy();
  await expect.poll(post).toBe(200);
  second.destroy();
  expect(await post()).toBe(200);
});
