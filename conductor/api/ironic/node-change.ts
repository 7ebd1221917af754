/**
 * Converts the patch operations on a node's wire form to a change of the stored node. Pure.
 */
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import { badNodeName } from '@ingot/shared/ironic/identifiers.ts';
import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { HardwareType } from '../../domain/drivers.ts';
import { IngotError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { PatchOperation } from '../../domain/json-patch.ts';
import type { InterfaceType, Node, NodePatch } from '../../domain/node.ts';
import { patchedFields } from '../kit/resource-body.ts';

export const PATCHABLE_NODE_FIELDS: ReadonlyMap<string, WireField> = new Map(
  NODE_FIELDS.filter((field) => field.patch).map((field) => [field.wire, field]),
);

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

const interfaceOf = (field: WireField): InterfaceType =>
  field.wire.replace('_interface', '') as InterfaceType;

/** Throws invalidParameter with the name of the field whose value is not valid. */
export function nodeChange(
  node: Node,
  operations: readonly PatchOperation[],
  minor: number,
  hardwareTypes: readonly HardwareType[],
): NodePatch {
  const touched = patchedFields(patchableView(node), operations, PATCHABLE_NODE_FIELDS);
  const isInterface = ([field]: (typeof touched)[number]) => field.kind === 'interface';
  const plain = Object.fromEntries(
    touched.filter((one) => !isInterface(one)).map(([field, value]) => [camelCase(field.wire), value]),
  );
  checkName(node, plain['name'], minor);
  if (typeof plain['conductorGroup'] === 'string') {
    plain['conductorGroup'] = plain['conductorGroup'].toLowerCase();
  }
  const driver = typeof plain['driver'] === 'string' ? plain['driver'] : node.driver;
  const named = touched.filter(isInterface).map(([field, value]) => {
    const type = interfaceOf(field);
    return [type, value ?? defaultInterface(hardwareTypes, driver, type)];
  });
  if (named.length === 0) return plain;
  return { ...plain, interfaces: { ...node.interfaces, ...Object.fromEntries(named) } };
}

/** The patchable fields with their stored values. Secrets are not masked. */
function patchableView(node: Node): JsonObject {
  const storedValue = (field: WireField): unknown =>
    field.kind === 'interface'
      ? node.interfaces[interfaceOf(field)]
      : node[camelCase(field.wire) as keyof Node];
  return Object.fromEntries(
    [...PATCHABLE_NODE_FIELDS.values()].map((field) => [field.wire, storedValue(field) ?? null]),
  ) as JsonObject;
}

/** The interface that a node gets when a patch removes the field: the first one of its hardware type. */
function defaultInterface(types: readonly HardwareType[], driver: string, type: InterfaceType): string {
  const preferred = types.find(({ name }) => name === driver)?.interfaces[type][0];
  if (preferred !== undefined) return preferred.name;
  throw invalid(`Driver "${driver}" has no default ${type}_interface: name one.`);
}

function checkName(node: Node, name: unknown, minor: number): void {
  const reason = typeof name === 'string' ? badNodeName(name, minor) : undefined;
  if (reason !== undefined) {
    throw invalid(`Node ${node.uuid}: Cannot change name to invalid name '${name}': ${reason}`);
  }
}
