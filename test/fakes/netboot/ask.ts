/**
 * Sends DHCP requests from inside a namespace and prints the answers, a line of JSON each.
 * Argument: Question[] as JSON. An answer is the packet in hex, or null after a second of silence.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface Question {
  readonly hex: string;
  readonly to: string;
  readonly port: number;
}

const SILENCE_MS = 1_000;
const questions = JSON.parse(process.argv[2] ?? '') as Question[];
const socket = createSocket({ type: 'udp4', reuseAddr: true });
socket.bind(68);
await once(socket, 'listening');
socket.setBroadcast(true);

for (const { hex, to, port } of questions) {
  const signal = AbortSignal.timeout(SILENCE_MS);
  const answer = once(socket, 'message', { signal }).then(
    ([packet]: Buffer[]) => packet?.toString('hex') ?? null,
    () => null,
  );
  await new Promise<void>((resolve, reject) => {
    socket.send(Buffer.from(hex, 'hex'), port, to, (error) => (error ? reject(error) : resolve()));
  });
  process.stdout.write(`${JSON.stringify(await answer)}\n`);
}
socket.close();
