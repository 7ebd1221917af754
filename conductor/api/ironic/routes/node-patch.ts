/**
 * `PATCH /v1/nodes/{node}`: the patch is applied while the node is locked, and the changed fields are checked together.
 */
import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { PatchOperation } from '../../../domain/json-patch.ts';
import { checkPatchable, type PatchRules } from '../../../domain/node-rules.ts';
import type { App } from '../../kit/app.ts';
import { patchSchema } from '../../kit/field-schema.ts';
import { parseQuery } from '../../kit/query.ts';
import { patchOperations } from '../../kit/resource-body.ts';
import type { RouteDoc } from '../../kit/route-doc.ts';
import type { ApiDeps } from '../deps.ts';
import { checkImageSource } from '../image-source.ts';
import { nodeChange, PATCHABLE_NODE_FIELDS } from '../node-change.ts';
import { checkChassis, nodeOf } from '../node-lookup.ts';
import { NODE_SCHEMA, nodeAnswer, nodeViewContext } from '../node-view.ts';
import { withParentUuid } from '../parent-node.ts';

const INSPECTING_FIXED_SINCE = 39;

function rulesFor([only, ...more]: readonly PatchOperation[], minor: number): PatchRules {
  return {
    onlyReleasesInstance: more.length === 0 && only?.op === 'remove' && only.path === '/instance_uuid',
    refusesInspecting: minor >= INSPECTING_FIXED_SINCE,
  };
}

const ARGUMENTS = { reset_interfaces: { kind: 'flag', since: 45 } } as const;
const DOC: RouteDoc = {
  summary: 'Change a node',
  query: ARGUMENTS,
  body: patchSchema('Node', NODE_FIELDS),
  answer: NODE_SCHEMA,
};

export function registerNodePatch(app: App, deps: ApiDeps): void {
  const { engine, store } = deps;

  app.patch('/v1/nodes/:node', { config: { doc: DOC } }, async (request, reply) => {
    const { minor } = request;
    const query = parseQuery(request, ARGUMENTS);
    const asked = patchOperations(request, PATCHABLE_NODE_FIELDS);
    const resetInterfaces = query.reset_interfaces === true;
    if (resetInterfaces && !asked.some(({ op, path }) => path === '/driver' && op !== 'remove')) {
      throw new IngotError(
        'invalidParameter',
        "The reset_interfaces parameter can only be used when changing the node's driver.",
      );
    }
    const before = await nodeOf(store.nodes, request);
    const operations = await withParentUuid(deps, request, before, asked);
    for (const operation of operations) {
      if (operation.path === '/chassis_uuid' && operation.op !== 'remove') {
        await checkChassis(store.chassis, operation.value);
      }
    }
    await checkImageSource(operations, request.caller, deps.seesImage);
    const node = await engine.updateNode(
      before.uuid,
      'node update',
      (current) => {
        checkPatchable(current, rulesFor(operations, minor));
        return nodeChange(current, operations, minor, engine.hardwareTypes);
      },
      { resetInterfaces },
    );
    return nodeAnswer(reply, nodeViewContext(request, deps), null, node);
  });
}
