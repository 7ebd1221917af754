/** A node whose agent may write an image, with the fields that matter for that. */
import { randomUUID } from 'node:crypto';
import type { Node } from '@ingot/conductor/domain/node.ts';

export function deployingNode(fields: Partial<Node> = {}, token: string | null = 'token'): Node {
  const agent = { token } as Node['agent'];
  return { uuid: randomUUID(), provisionState: 'wait call-back', agent, ...fields } as Node;
}
