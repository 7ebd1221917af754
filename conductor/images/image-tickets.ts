/**
 * Who may fetch a prepared image: the agent that writes it, during its session. The URL in its command contains a
 * ticket, an HMAC over node, session and image:
 *
 *   /images/<image>/raw?node=<uuid>&ticket=<43 characters>
 *
 * A ticket is valid while the node is being deployed and has the same agent token. Nothing is stored about it. Its key
 * is kept in a file, so that a transfer goes on after a restart of the conductor; the agent, which knows its token, can
 * not make tickets for other images.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import type { Node } from '../domain/node.ts';
import { isIn } from '../domain/states.ts';
import { readSymmetricKey } from '../own-key/own-key.ts';
import type { Form } from './cache-entries.ts';

type Session = Pick<Node, 'uuid' | 'agent' | 'provisionState'>;

export interface ImageTickets {
  /** Path and query for the agent of a node. */
  pathFor(node: Session, id: string, form: Form): string;
  /** Whether the ticket opens this image to this node now. */
  admits(node: Session, id: string, ticket: string): boolean;
}

/** The key is made when it is needed first. */
export function openImageTickets(dir: string): ImageTickets {
  let key: Buffer | undefined;
  const ticketOf = ({ uuid, agent }: Session, id: string): Buffer => {
    key ??= readSymmetricKey(join(dir, 'ticket.key'), 'Transfers that run now fail');
    return createHmac('sha256', key)
      .update(JSON.stringify([uuid, agent?.token, id]))
      .digest();
  };
  return {
    pathFor(node, id, form) {
      const ticket = ticketOf(node, id).toString('base64url');
      return `/images/${id}/${form}?${new URLSearchParams({ node: node.uuid, ticket })}`;
    },
    admits(node, id, ticket) {
      if (node.agent?.token == null || !isIn('fetchesImages', node.provisionState)) return false;
      const [given, expected] = [Buffer.from(ticket, 'base64url'), ticketOf(node, id)];
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
