/**
 * Sends DHCP requests from inside a namespace, one after the other, and prints the answers as JSON.
 *
 * Argument: Question[] as JSON. Output: for each an Answer, or null if there was none.
 *
 * Each request has its own xid, so that a late answer is assigned to the right question.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Question {
  readonly hex: string;
  readonly to: string;
  readonly port: number;
}

export interface Answer {
  readonly hex: string;
  /** The port at which the answer arrived: 68 for a client, 67 for a relay. */
  readonly port: number;
}

/** Without an answer, the next request is sent after PAUSE_MS; the program ends after SILENCE_MS. */
const PAUSE_MS = 250;
const SILENCE_MS = 1_000;
const CLIENT_PORT = 68;
const RELAY_PORT = 67;
/** RFC 2131 section 2. With a relay's address, the request is sent as a relay. */
const OFFSET = { op: 0, xid: 4, giaddr: 24 } as const;
const BOOTREPLY = 2;

const questions = JSON.parse(process.argv[2] ?? '') as Question[];
const answers = new Map<number, Answer>();
const waiting = new Map<number, () => void>();

async function open(port: number): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  socket.bind(port);
  await once(socket, 'listening');
  socket.setBroadcast(true);
  socket.on('message', (packet) => {
    // A relay's own requests arrive here, too.
    if (packet[OFFSET.op] !== BOOTREPLY) return;
    const xid = packet.readUInt32BE(OFFSET.xid);
    answers.set(xid, { hex: packet.toString('hex'), port });
    waiting.get(xid)?.();
  });
  return socket;
}

const client = await open(CLIENT_PORT);
const relay = await open(RELAY_PORT);

for (const [index, { hex, to, port }] of questions.entries()) {
  const packet = Buffer.from(hex, 'hex');
  const isRelayed = packet.length >= OFFSET.giaddr + 4 && packet.readUInt32BE(OFFSET.giaddr) !== 0;
  if (packet.length >= OFFSET.xid + 4) packet.writeUInt32BE(index, OFFSET.xid);
  const heard = new Promise<void>((resolve) => waiting.set(index, resolve));
  await new Promise<void>((resolve, reject) => {
    (isRelayed ? relay : client).send(packet, port, to, (error) => (error ? reject(error) : resolve()));
  });
  await Promise.race([heard, sleep(PAUSE_MS)]);
}
if (answers.size < questions.length) await sleep(SILENCE_MS);
process.stdout.write(JSON.stringify(questions.map((_, index) => answers.get(index) ?? null)));
client.close();
relay.close();
