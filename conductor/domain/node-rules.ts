/**
 * Which changes of a node its state allows: the rules of PATCH, DELETE and port changes, as in Ironic's API
 * reference.
 *
 * Pure. Each check is called with the node as it is under its lock, and throws an IngotError that names the state or
 * field in the way and says what to do.
 */
import { IngotError } from './errors.ts';
import { parseInstanceInfo } from './instance-info.ts';
import { INTERFACE_TYPES, type Node, type NodePatch, type Port, type PortPatch } from './node.ts';
import { isIn, STATE_SETS } from './states.ts';

export interface PatchRules {
  /** The patch removes instance_uuid and nothing else, which is always allowed in maintenance. */
  readonly onlyReleasesInstance: boolean;
  /** From API 1.39, patches are rejected during inspection. */
  readonly refusesInspecting: boolean;
}

const quoted = (states: readonly string[]): string => states.map((state) => `"${state}"`).join(', ');

/** Throws conflict when no field of the node may be patched now. */
export function checkPatchable(node: Node, rules: PatchRules): void {
  if (node.maintenance && rules.onlyReleasesInstance) return;
  if (node.targetProvisionState !== null && !isIn('patchableInTransition', node.provisionState)) {
    throw new IngotError(
      'conflict',
      `Node ${node.uuid} can not be updated while a state transition is in progress: it is in state "${node.provisionState}" on its way to "${node.targetProvisionState}". Try again when it has arrived.`,
    );
  }
  if (node.provisionState === 'inspecting' && rules.refusesInspecting) {
    throw new IngotError('conflict', `Cannot update node "${node.uuid}" while it is in state "inspecting".`);
  }
}

/** Only the fields that differ from the node; interfaces are compared by type. */
function changed(node: Node, patch: NodePatch): NodePatch {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  return Object.fromEntries(
    Object.entries(patch).filter(([key, value]) => !same(node[key as keyof Node], value)),
  ) as NodePatch;
}

/**
 * Checks the new values against the state of the node and adds what follows from them: leaving
 * maintenance clears its reason and the fault, unprotecting and unretiring clear theirs.
 * Throws conflict or invalidParameter.
 */
export function settlePatch(node: Node, wanted: NodePatch): NodePatch {
  const patch = changed(node, wanted);
  checkInstance(node, patch);
  checkInterfaces(node, patch);
  checkDriverChange(node, patch);
  if (patch.protected === true && node.provisionState !== 'active' && node.provisionState !== 'rescue') {
    throw new IngotError(
      'conflict',
      `Node "${node.uuid}" must be in "active" or "rescue" to be protected; it is in "${node.provisionState}".`,
    );
  }
  if (patch.protectedReason != null && !(patch.protected ?? node.protected)) {
    throw new IngotError(
      'invalidParameter',
      'The protected_reason field can only be set when protected is true: set both.',
    );
  }
  if (patch.retired === true && node.provisionState === 'available') {
    throw new IngotError(
      'conflict',
      `Node "${node.uuid}" can not be retired in "available": move it to "manageable" first.`,
    );
  }
  return {
    ...patch,
    ...(patch.maintenance === false ? { maintenanceReason: null, fault: null } : {}),
    ...(patch.protected === false ? { protectedReason: null } : {}),
    ...(patch.retired === false ? { retiredReason: null } : {}),
    ...instanceName(node, patch),
  };
}

/** The name of the instance: `display_name` of instance_info, which Nova sets, unless the node has a name for it already. */
function instanceName(node: Node, patch: NodePatch): NodePatch {
  if (patch.instanceInfo === undefined || patch.instanceName !== undefined) return {};
  const { displayName: shown } = parseInstanceInfo(patch.instanceInfo);
  if (shown === undefined) return {};
  return node.instanceName === null ? { instanceName: shown.slice(0, 255) } : {};
}

/** Throws conflict while a console of the current driver is on. Call before the new driver is validated. */
export function checkDriverChange(node: Node, patch: NodePatch): void {
  if (patch.driver === undefined || patch.driver === node.driver || !node.consoleEnabled) return;
  throw new IngotError(
    'conflict',
    `Node ${node.uuid} can not update the driver while the console is enabled. Please stop the console first.`,
  );
}

function checkInstance(node: Node, patch: NodePatch): void {
  if (patch.instanceUuid != null && node.instanceUuid !== null) {
    throw new IngotError(
      'conflict',
      `Node ${node.uuid} is associated with instance ${node.instanceUuid}. Remove instance_uuid first.`,
    );
  }
}

function checkInterfaces(node: Node, patch: NodePatch): void {
  if (isIn('interfacesChangeable', node.provisionState)) return;
  const allowed = quoted(STATE_SETS.interfacesChangeable);
  const type = INTERFACE_TYPES.find(
    (one) => patch.interfaces !== undefined && patch.interfaces[one] !== node.interfaces[one],
  );
  if (type !== undefined && !node.maintenance) {
    throw new IngotError(
      'conflict',
      `Node ${node.uuid} can not have ${type}_interface updated in state "${node.provisionState}", only in one of ${allowed} or in maintenance mode.`,
    );
  }
  if ('resourceClass' in patch && node.resourceClass !== null) {
    throw new IngotError(
      'conflict',
      `Node ${node.uuid} can not have resource_class updated in state "${node.provisionState}", only in one of ${allowed}.`,
    );
  }
}

/** Throws forbidden when the node is protected, conflict in a state in which a node can not be deleted. */
export function checkDeletable(node: Node): void {
  if (!node.maintenance && node.instanceUuid !== null) {
    throw new IngotError(
      'conflict',
      `Node ${node.uuid} is associated with instance ${node.instanceUuid}. Undeploy it first, or set the node into maintenance mode.`,
    );
  }
  if (node.protected) {
    throw new IngotError(
      'forbidden',
      `Node ${node.uuid} is protected and cannot be undeployed, rebuilt or deleted`,
    );
  }
  if (!node.maintenance && !isIn('deletable', node.provisionState)) {
    throw new IngotError(
      'conflict',
      `Can not delete node "${node.uuid}" while it is in provision state "${node.provisionState}". Move it to one of ${quoted(STATE_SETS.deletable)}, or set the node into maintenance mode.`,
    );
  }
}

const CONNECTIVITY = ['pxeEnabled', 'localLinkConnection', 'physicalNetwork', 'nodeUuid'] as const;

/** Throws conflict when this change of a port is not allowed in the state of its node. */
export function checkPortPatch(node: Node, port: Port, patch: PortPatch): void {
  if (node.maintenance) return;
  const moved = (key: keyof PortPatch) =>
    key in patch && JSON.stringify(patch[key]) !== JSON.stringify(port[key]);
  if (moved('address') && (node.provisionState === 'active' || node.instanceUuid !== null)) {
    throw new IngotError(
      'conflict',
      `Cannot update hardware address for port ${port.uuid} as node ${node.uuid} is active or has instance UUID assigned. Set the node into maintenance mode first.`,
    );
  }
  if (CONNECTIVITY.some(moved) && !isIn('portsChangeable', node.provisionState)) {
    throw new IngotError(
      'conflict',
      `Port ${port.uuid} can not have connectivity attributes updated while node ${node.uuid} is in state "${node.provisionState}", only in one of ${quoted(STATE_SETS.portsChangeable)} or in maintenance mode.`,
    );
  }
}

/** Throws conflict when the port group already has ports with another physical network. */
export function checkGroupNetwork(
  { uuid, portgroupUuid, physicalNetwork = null }: PortPatch & Pick<Port, 'uuid'>,
  inGroup: readonly Port[],
): void {
  const other = inGroup.find((port) => port.uuid !== uuid && port.physicalNetwork !== physicalNetwork);
  if (other === undefined) return;
  throw new IngotError(
    'conflict',
    `Port with physical network ${physicalNetwork ?? 'None'} cannot become a member of port group ${portgroupUuid} which has ports in physical network ${other.physicalNetwork ?? 'None'}, such as ${other.uuid}. Set the same physical_network on all ports of a group.`,
  );
}
