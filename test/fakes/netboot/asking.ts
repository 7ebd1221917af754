/** Sends DHCP requests to a server at the other end of a virtual cable, one after the other. */
import { fileURLToPath } from 'node:url';
import { type DhcpMessage, decodeDhcp, encodeDhcp } from '@ingot/shared/codec/dhcp/message.ts';
import type { Answer, Question } from './ask.ts';
import type { Cable } from './namespaces.ts';

export interface Heard {
  readonly reply: DhcpMessage;
  /** 68 for a client, 67 for a relay. */
  readonly port: number;
}

const PROGRAM = fileURLToPath(new URL('ask.ts', import.meta.url));

/** undefined if there was no answer. */
export async function ask(
  cable: Pick<Cable, 'run'>,
  questions: readonly Question[],
): Promise<(Heard | undefined)[]> {
  const { stdout, stderr } = await cable.run('client', [
    process.execPath,
    PROGRAM,
    JSON.stringify(questions),
  ]);
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as (Answer | null)[]).map((answer) => {
    if (answer === null) return undefined;
    const decoded = decodeDhcp(Buffer.from(answer.hex, 'hex'));
    if (!decoded.ok) throw new Error(decoded.reason);
    return { reply: decoded.value, port: answer.port };
  });
}

export const sentTo = (to: string, message: DhcpMessage, port = 67): Question => ({
  hex: encodeDhcp(message).toString('hex'),
  to,
  port,
});

export const broadcast = (message: DhcpMessage): Question => sentTo('255.255.255.255', message);
