/**
 * What a server's node offers beside power: its console, and a non-maskable interrupt that makes the operating system
 * write a crash dump.
 */
import { IngotError } from '../../domain/errors.ts';
import type { Node } from '../../domain/node.ts';
import type { Engine } from '../../engine/engine.ts';

/** Throws unsupported when the management interface has no NMI. */
export async function injectNmi(engine: Engine, node: Node): Promise<void> {
  await engine.withHardware(node.uuid, 'inject NMI', async ({ management }, context) => {
    if (management.injectNmi === undefined) throw notOffered(node, 'management', 'crash dumps');
    management.validate(context.node, context.ports);
    await management.injectNmi(context);
  });
}

/** Where the running console is reached. Throws unsupported when there is none. */
export function consoleOf(engine: Engine, node: Node): { readonly type: string; readonly url: string } {
  const control = engine.hardwareOf(node).all.console.console;
  if (control === undefined || !node.consoleEnabled) throw notOffered(node, 'console', 'running console');
  const { type, url } = control.describe(node);
  if (typeof type === 'string' && typeof url === 'string') return { type, url };
  throw notOffered(node, 'console', 'address to connect to');
}

function notOffered(node: Node, type: 'console' | 'management', what: string): IngotError {
  const driver = `${type}_interface "${node.interfaces[type]}"`;
  return new IngotError('unsupported', `Node ${node.uuid} has no ${what}: ${driver} does not offer it now.`);
}
