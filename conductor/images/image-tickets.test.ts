import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deployingNode } from '../../test/fakes/deploying-node.ts';
import { STATES } from '../domain/states.ts';
import { type ImageTickets, openImageTickets } from './image-tickets.ts';

const ID = 'ab'.repeat(32);
let dir: string;
let tickets: ImageTickets;
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'ingot-tickets-')), 'images');
  tickets = openImageTickets(dir);
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true }));

const node = deployingNode();
const ticketOf = (path: string): string => new URL(path, 'http://x').searchParams.get('ticket')!;
const ticket = (by = tickets): string => ticketOf(by.pathFor(node, ID, 'raw'));

it('are part of the path, with the node', () => {
  expect(tickets.pathFor(node, ID, 'zst')).toMatch(
    new RegExp(`^/images/${ID}/zst\\?node=${node.uuid}&ticket=[\\w-]{43}$`),
  );
});

it('admit the session of a node to one image, also after a restart', () => {
  expect(tickets.admits(node, ID, ticket())).toBe(true);
  expect(openImageTickets(dir).admits(node, ID, ticket())).toBe(true);
  expect(tickets.admits(node, 'cd'.repeat(32), ticket())).toBe(false);
});

it.each([
  ['another node', deployingNode()],
  ['a later session', deployingNode({ uuid: node.uuid }, 'another token')],
  ['a session without a token', deployingNode({ uuid: node.uuid }, null)],
  ['no session', deployingNode({ uuid: node.uuid, agent: null })],
])('do not admit %s', (_, other) => expect(tickets.admits(other, ID, ticket())).toBe(false));

it('admit only while an image is being written', () => {
  const states = Object.keys(STATES) as (keyof typeof STATES)[];
  const admitted = states.filter((provisionState) =>
    tickets.admits({ ...node, provisionState }, ID, ticket()),
  );
  expect(admitted).toEqual(['deploying', 'wait call-back', 'deploy hold']);
});

it.each(['', 'a', '=', 'A'.repeat(43), 'x'.repeat(10_000)])('are not forged as %j', (forged) => {
  expect(tickets.admits(node, ID, forged)).toBe(false);
});

it('cannot be made by an agent: their key is a file that only the conductor reads', () => {
  ticket();
  expect(statSync(dir).mode & 0o077).toBe(0);
  expect(statSync(join(dir, 'ticket.key')).mode & 0o077).toBe(0);
  const elsewhere = openImageTickets(join(dir, 'elsewhere'));
  expect(tickets.admits(node, ID, ticket(elsewhere))).toBe(false);
});

it('need a whole key', () => {
  ticket();
  chmodSync(join(dir, 'ticket.key'), 0o600);
  writeFileSync(join(dir, 'ticket.key'), 'short');
  expect(() => ticket(openImageTickets(dir))).toThrow('does not contain a key of 32 bytes: delete it');
});
