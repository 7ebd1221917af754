/**
 * `POST /v1/nodes`.
 */

import type { FieldValue } from '@ingot/shared/ironic/field-values.ts';
import { badNodeName } from '@ingot/shared/ironic/identifiers.ts';
import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import { IngotError } from '../../../domain/errors.ts';
import { isJsonObject } from '../../../domain/json.ts';
import { INTERFACE_TYPES } from '../../../domain/node.ts';
import type { NodeRequest } from '../../../engine/engine.ts';
import type { App } from '../../kit/app.ts';
import { createSchema } from '../../kit/field-schema.ts';
import { type FieldValues, parseCreate } from '../../kit/resource-body.ts';
import type { RouteDoc } from '../../kit/route-doc.ts';
import { ownerFor } from '../auth/visibility.ts';
import type { ApiDeps } from '../deps.ts';
import { checkImageSource } from '../image-source.ts';
import { checkChassis } from '../node-lookup.ts';
import { NODE_SCHEMA, nodeAnswer, nodeViewContext } from '../node-view.ts';
import { parentUuid } from '../parent-node.ts';

/** Since this version new nodes are in the state `enroll`; before, they were `available`. */
const ENROLL_SINCE = 11;

const DOC: RouteDoc = {
  summary: 'Enroll a node',
  body: createSchema('Node', NODE_FIELDS, ['driver']),
  status: 201,
  answer: NODE_SCHEMA,
};

export function registerNodeCreate(app: App, deps: ApiDeps): void {
  app.post('/v1/nodes', { config: { doc: DOC } }, async (request, reply) => {
    const values = parseCreate(request, 'node', NODE_FIELDS, ['driver']);
    checkName(values['name'], request.minor);
    const { instanceInfo } = values;
    if (isJsonObject(instanceInfo)) {
      const operation = { op: 'add', path: '/instance_info', value: instanceInfo } as const;
      await checkImageSource([operation], request.caller, deps.seesImage);
    }
    await checkChassis(deps.store.chassis, values['chassisUuid']);
    const owner = ownerFor(request, values['owner'] as string | undefined);
    const given = owner === null ? values : { ...values, owner };
    const { parentNode } = given;
    const placed =
      parentNode == null
        ? given
        : { ...given, parentNode: await parentUuid(deps, request, parentNode, { owner }) };
    const node = await deps.engine.createNode(nodeRequest(placed, request.minor));
    const context = nodeViewContext(request, deps);
    reply.code(201).header('Location', `${context.base}/v1/nodes/${node.uuid}`);
    return nodeAnswer(reply, context, null, node);
  });
}

function checkName(name: FieldValue | undefined, minor: number): void {
  if (typeof name !== 'string') return;
  const reason = badNodeName(name, minor);
  if (reason === undefined) return;
  throw new IngotError('invalidParameter', `Cannot create node with invalid name '${name}': ${reason}`);
}

function nodeRequest(values: FieldValues, minor: number): NodeRequest {
  const { uuid, driver, ...rest } = values;
  const interfaceKeys = INTERFACE_TYPES.map((type) => [type, `${type}Interface`] as const);
  const interfaces = interfaceKeys.flatMap(([type, key]) => (key in rest ? [[type, rest[key]]] : []));
  const fields = Object.entries(rest).filter(([key]) => !key.endsWith('Interface'));
  return {
    ...(typeof uuid === 'string' ? { uuid } : {}),
    driver: driver as string,
    interfaces: Object.fromEntries(interfaces),
    fields: {
      ...Object.fromEntries(fields),
      ...(typeof rest['conductorGroup'] === 'string'
        ? { conductorGroup: rest['conductorGroup'].toLowerCase() }
        : {}),
      ...(minor < ENROLL_SINCE ? { provisionState: 'available' as const } : {}),
    },
  };
}
