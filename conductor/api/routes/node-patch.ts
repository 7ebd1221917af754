/**
 * `PATCH /v1/nodes/{node}`: the patch is applied to the node as it is under its lock, and the fields it
 * touched are checked as a whole.
 */
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import { badNodeName } from '@ingot/shared/ironic/identifiers.ts';
import { NODE_FIELDS, type WireField } from '@ingot/shared/ironic/node-fields.ts';
import { IngotError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { applyPatch, type PatchOperation, rootOf } from '../../domain/json-patch.ts';
import type { InterfaceType, Node, NodePatch } from '../../domain/node.ts';
import { checkPatchable } from '../../domain/node-rules.ts';
import type { ApiDeps, App } from '../deps.ts';
import { baseUrlOf } from '../links.ts';
import { nodeOf } from '../node-lookup.ts';
import { nodePresenter } from '../node-view.ts';
import { parseQuery } from '../query.ts';
import { parseField, patchOperations, unmasked } from '../resource-body.ts';
import { checkChassis } from './node-create.ts';

const PATCHABLE = new Map(NODE_FIELDS.filter((field) => field.patch).map((field) => [field.wire, field]));
const INSPECTING_FIXED_SINCE = 39;

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

const interfaceOf = (field: WireField): InterfaceType =>
  field.wire.replace('_interface', '') as InterfaceType;

const storedValue = (node: Node, field: WireField): unknown =>
  field.kind === 'interface'
    ? node.interfaces[interfaceOf(field)]
    : node[camelCase(field.wire) as keyof Node];

export function registerNodePatch(app: App, deps: ApiDeps): void {
  const { engine, store, config } = deps;

  /** What an interface falls back to when it is taken away. */
  function defaultInterface(driver: string, type: InterfaceType): string {
    const offered = engine.hardwareTypes.find(({ name }) => name === driver)?.interfaces[type] ?? [];
    const [preferred] = offered;
    if (preferred === undefined)
      throw invalid(`Driver "${driver}" has no default ${type}_interface: name one.`);
    return preferred.name;
  }

  function changeOf(node: Node, operations: readonly PatchOperation[], minor: number): NodePatch {
    const document = Object.fromEntries(
      [...PATCHABLE.values()].map((field) => [field.wire, storedValue(node, field) ?? null]),
    ) as JsonObject;
    const patched = applyPatch(document, operations);
    if (!patched.ok) throw invalid(patched.reason);
    const touched = new Set(operations.map(({ path }) => rootOf(path)));
    const values = [...touched].map((name) => {
      const field = PATCHABLE.get(name) as WireField;
      const value = parseField('patch', field, patched.value[name]);
      return [field, unmasked('patch', name, document[name] as JsonObject, value)] as const;
    });
    const interfaces = values.filter(([field]) => field.kind === 'interface');
    const plain = Object.fromEntries(
      values
        .filter(([field]) => field.kind !== 'interface')
        .map(([field, value]) => [camelCase(field.wire), value]),
    );
    const { chassisUuid, ...patch } = plain;
    checkChassis(chassisUuid);
    checkName(node, patch['name'], minor);
    if (typeof patch['conductorGroup'] === 'string') {
      patch['conductorGroup'] = patch['conductorGroup'].toLowerCase();
    }
    if (interfaces.length === 0) return patch as NodePatch;
    const driver = (patch['driver'] as string | undefined) ?? node.driver;
    const named = interfaces.map(([field, value]) => [
      interfaceOf(field),
      value ?? defaultInterface(driver, interfaceOf(field)),
    ]);
    return { ...patch, interfaces: { ...node.interfaces, ...Object.fromEntries(named) } } as NodePatch;
  }

  app.patch('/v1/nodes/:node', async (request) => {
    const query = parseQuery(request, { reset_interfaces: { kind: 'flag', since: 45 } });
    const operations = patchOperations(request, PATCHABLE);
    const resetInterfaces = query.reset_interfaces === true;
    if (resetInterfaces && !operations.some(({ op, path }) => path === '/driver' && op !== 'remove')) {
      throw invalid("The reset_interfaces parameter can only be used when changing the node's driver.");
    }
    const [only] = operations;
    const onlyReleasesInstance =
      operations.length === 1 && only?.op === 'remove' && only.path === '/instance_uuid';
    const { uuid } = await nodeOf(store.nodes, request);
    const node = await engine.updateNode(
      uuid,
      'node update',
      (current) => {
        checkPatchable(current, {
          onlyReleasesInstance,
          refusesInspecting: request.minor >= INSPECTING_FIXED_SINCE,
        });
        return changeOf(current, operations, request.minor);
      },
      { resetInterfaces },
    );
    const base = baseUrlOf(request, config.publicEndpoint);
    return nodePresenter({ minor: request.minor, base, conductor: engine.conductor }, null).present(node);
  });
}

function checkName(node: Node, name: unknown, minor: number): void {
  if (typeof name !== 'string') return;
  const reason = badNodeName(name, minor);
  if (reason !== undefined) {
    throw invalid(`Node ${node.uuid}: Cannot change name to invalid name '${name}': ${reason}`);
  }
}
