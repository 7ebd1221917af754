/** Sample records for the tests. */
import { expect } from 'vitest';
import type { Mac } from '../../domain/boot.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { AgentSession, InterfaceType, NewNode, NewPort } from '../../domain/node.ts';
import { INTERFACE_TYPES } from '../../domain/node.ts';
import type { Step } from '../../domain/steps.ts';
import type { Page } from '../../domain/store/page.ts';
import type { Store } from '../../domain/store/store.ts';

export type Subject = () => Store;

export const NOW = new Date('2026-01-02T03:04:05.678Z');
export const later = (ms: number): Date => new Date(NOW.getTime() + ms);

export const ALL: Page = { limit: 1_000, sortKey: 'id', sortDir: 'asc' };

export const INTERFACES = Object.fromEntries(INTERFACE_TYPES.map((type) => [type, `no-${type}`])) as Record<
  InterfaceType,
  string
>;

export const SESSION: AgentSession = {
  url: null,
  token: 'token of this boot',
  version: null,
  verifyCa: null,
  proven: false,
  lastHeartbeatAt: null,
};

export function newNode(patch: Partial<NewNode> = {}): NewNode {
  return {
    uuid: crypto.randomUUID(),
    driver: 'ipmi',
    interfaces: INTERFACES,
    provisionState: 'enroll',
    ...patch,
  };
}

/** `52:54:00:00:xx:xx` */
export const mac = (number: number): Mac =>
  `52:54:00:00:${Math.floor(number / 256)
    .toString(16)
    .padStart(2, '0')}:${(number % 256).toString(16).padStart(2, '0')}` as Mac;

export function newPort(nodeUuid: string, address: Mac, patch: Partial<NewPort> = {}): NewPort {
  return { uuid: crypto.randomUUID(), nodeUuid, address, ...patch };
}

export const step = (name: string, patch: Partial<Step> = {}): Step => ({
  interface: 'deploy',
  step: name,
  args: {},
  priority: 50,
  where: 'conductor',
  abortable: false,
  ...patch,
});

/** Expects a rejection with an IngotError of this code whose message contains `text`. */
export async function expectError(promise: Promise<unknown>, code: ErrorCode, text: string): Promise<void> {
  await expect(promise).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
}
