/**
 * Intended differences between our answers and Ironic's, each of them reviewed. An entry that matches no difference
 * fails the test.
 */
import type { ReviewedDifference } from './compare.ts';

const NOTHING = /^\(nothing\)$/;

/** For all requests. */
const GENERAL: readonly ReviewedDifference[] = [
  {
    requests: /./,
    at: /^headers\.(openstack-request-id|x-openstack-ironic-api-)/,
    oracle: NOTHING,
    reason:
      'The request id and version headers are in every answer, because clients negotiate by them; Ironic omits them from answers of its router and to invalid versions',
  },
  {
    requests: /./,
    at: /(^headers\.x-openstack-ironic-api-maximum-version|version\.version|versions\.0\.version)$/,
    oracle: /^"1\.82"$/,
    reason: 'The newest version is higher; Ironic 21.4 ends at 1.82',
  },
  {
    requests: /^versions: v1 latest$/,
    at: /^headers\.x-openstack-ironic-api-version$|^body\.\w+$/,
    oracle: /^"1\.82"$|^\(nothing\)$/,
    reason: '`latest` means the newest version of Ingot, with its fields',
  },
  {
    requests: /^(node-lists: by parent, too new|ports: a name before it was)$/,
    at: /^status$/,
    oracle: /^"400/,
    ours: /^"406/,
    reason:
      'Ingot knows fields and arguments that were added after Ironic 21.4, and refuses them as too new for the requested version',
  },
  {
    requests: /./,
    at: /^status$/,
    oracle: /^"?500/,
    ours: /^"?(4|200)/,
    reason: 'Ironic answers 500; Ingot executes the request, or answers 4xx with the reason',
  },
  {
    requests: /./,
    at: /^error\.shape$/,
    oracle: /application/,
    ours: /router/,
    reason:
      'The error body for unknown paths, methods and versions always has the same form; in Ironic the form depends on the code path',
  },
  {
    requests: /: (delete )?a bad name$/,
    at: /^error\.shape$/,
    oracle: /router/,
    ours: /application/,
    reason:
      'An invalid name gives the same error body in a path and in a request body; Ironic uses another form for paths',
  },
  {
    requests: /: ((PATCH on a|delete the|the|PATCH the) collection)$/,
    at: /^status$/,
    oracle: /^"400 Missing mandatory parameter/,
    ours: /405/,
    reason: 'A method that a collection does not support is 405, and the answer names the supported ones',
  },
  {
    requests: /./,
    at: /driver_internal_info\.\w+$/,
    oracle: /./,
    ours: NOTHING,
    reason:
      "driver_internal_info has fewer keys; those of Ironic's conductor are internal and no client reads them",
  },
  {
    requests: /./,
    at: /power_state$/,
    oracle: /^"power off"$/,
    ours: /^"power on"$/,
    reason:
      'Fake hardware is powered on after deploy and rescue, as real hardware is; in Ironic its power state does not change',
  },
];

const ACCEPTED_BY_OURS: readonly ReviewedDifference[] = [
  {
    requests: /^nodes: show by upper case uuid$/,
    at: /^status$/,
    reason: 'A UUID may be written in upper case (RFC 9562, section 4)',
  },
  {
    requests: /^nodes: chosen fields twice$/,
    at: /^status$/,
    reason: 'fields=a&fields=b selects both fields',
  },
  {
    requests: /^node-patches: (a key with a (slash|tilde)|automated clean)$/,
    at: /^(status|body\.extra\.a[/~]b)$/,
    reason:
      'Keys in JSON Patch paths are escaped as in RFC 6901, section 3, in every version; Ironic does it from 1.98 on',
  },
  {
    requests: /^ports: of the node by name$/,
    at: /^status$/,
    reason: 'The node may be given by name here, too; Ironic looks for a port group "None"',
  },
  {
    requests: /^ports: of the node, a page$/,
    at: /^body\.next$/,
    reason: 'The link `next` leads to further ports of this node, not of all nodes',
  },
];

const REFUSED_BY_OURS: readonly ReviewedDifference[] = [
  {
    requests: /: ((list with )?detail before it was|\w+ by detail=true)$/,
    at: /^status$/,
    ours: /406/,
    reason: 'An argument newer than the requested version is always 406',
  },
  {
    requests:
      /^(portgroups: (properties before they were|a property before they were, after another change)|allocations: node before it was|older-port-fields: (ask for|sort by) internal_info|older-allocation-fields: sort by owner)$/,
    at: /^status$/,
    ours: /406/,
    reason: 'A field newer than the requested version is always 406; Ironic accepts some of them',
  },
  {
    requests: /^allocations: by (a node|an absent node|node|node name)$/,
    at: /^(status|body\.)/,
    reason: 'The filter `node` of allocations is applied; Ironic 21.4 returns every allocation',
  },
  {
    requests: /: (an absent portgroup|move the port to an absent one|of an absent node)$/,
    at: /^status$/,
    oracle: /400/,
    ours: /404/,
    reason: 'A resource that does not exist is 404',
  },
  {
    requests: /^nodes: an interface not of the driver$/,
    at: /^status$/,
    reason: 'Ingot refuses an interface that its fake-hardware does not have; Ironic has it',
  },
  {
    requests:
      /^(node-lists: (by description|retired) before it was|older-arguments: nodes by (description_contains|retired|project)=\w+)$/,
    at: /^status$/,
    ours: /406/,
    reason:
      'A filter newer than the requested version is always 406; Ironic ignores three of them and lists every node',
  },
  {
    requests: /^node-lists: sorted by $/,
    at: /^status$/,
    reason: 'An empty sort_key is refused, because it names no field',
  },
  {
    requests:
      /^(node-provision: (a newer verb|undeploy before it was)|older-arguments: provision with active, target,deploy_steps)$/,
    at: /^status$/,
    ours: /406/,
    reason: 'A verb or an argument newer than the requested version is always 406',
  },
  {
    requests: /^ramdisk: lookup at 1\.(22|61)$/,
    at: /^status$/,
    ours: /406/,
    reason: 'Agents that do not support tokens are refused; Ironic has done so since 2023.2',
  },
  {
    requests: /^ramdisk: driver_internal_info/,
    at: /driver_internal_info\.agent_session$/,
    oracle: NOTHING,
    reason: 'The node shows whether the session of its agent is a proven one',
  },
  {
    requests: /^ramdisk: lookup/,
    at: /^body\.node\./,
    reason:
      'A lookup answers which disks the agent may use, not what the node and its instance are: anybody on the network may send one',
  },
  {
    requests: /^ramdisk: (lookup|driver_internal_info)/,
    at: /permitted_image_formats\.2$/,
    oracle: /iso/,
    ours: NOTHING,
    reason: 'Ingot never writes ISO images to a disk',
  },
  {
    requests: /^inventory: ((virtual media|children|firmware), too new|nothing of the kind)$/,
    at: /^status$/,
    oracle: /^"400 Field/,
    ours: /404/,
    reason: 'An unknown path is 404; Ironic reports an invalid field',
  },
  {
    requests: /^node-management: management$/,
    at: /^status$/,
    oracle: /405/,
    reason: 'A path that does not exist is 404',
  },
  {
    requests: /^older-paths: (PUT|PATCH|DELETE) portgroups$/,
    at: /^status$/,
    ours: /404/,
    reason: 'A collection that the requested version does not have is 404 for every method',
  },
  {
    requests: /^older-paths: (P\w+ nodes\/\{node\}\/traits|PUT nodes\/\{node\}\/management\/indicators)/,
    at: /^status$/,
    oracle: /^"400/,
    ours: /405/,
    reason: 'A method that a path does not have is 405; Ironic takes a word of the path for an argument',
  },
  {
    requests: /^older-node-fields: create with (boot_mode|secure_boot)$/,
    at: /^status$/,
    ours: /400/,
    reason: 'A field that no version accepts at POST is 400; Ironic asks for a newer version first',
  },
];

const BETTER: readonly ReviewedDifference[] = [
  {
    requests: /^chassis: /,
    at: /^body\.(chassis\.\d\.)?nodes\.[01]$/,
    reason:
      '`nodes` of a chassis is a list of links, like other lists of links; Ironic wraps it in a second list by mistake',
  },
  {
    requests: /^node-boot-mode: (uefi|secure boot)$/,
    at: /^settled\.last_error$/,
    ours: /^null$/,
    reason: 'Fake hardware supports boot modes; in Ironic it accepts the request and then fails',
  },
  {
    requests: /^portgroups: ports by portgroup and node$/,
    at: /^status$/,
    reason: 'The filters `portgroup` and `node` of ports may be combined; Ironic refuses this',
  },
  {
    requests: /^portgroups: an empty name$/,
    at: /^body\.name$/,
    reason: 'An empty name of a port group is stored as no name',
  },
  {
    requests: /^(portgroups: show at 1\.2[345]|older-portgroup-fields: (show|list) \w+( in detail)?)$/,
    at: /^body\.(portgroups\.0\.)?(mode|properties|ports)$/,
    ours: NOTHING,
    reason:
      'Fields of a port group that are newer than the requested version are hidden; Ironic shows some of them',
  },
  {
    requests: /^(chassis: .*|chassis: its nodes, a page)$/,
    at: /^body\.next$/,
    reason: 'The link `next` leads to further nodes of this chassis, not of all chassis',
  },
  {
    requests: /^deploy-templates: /,
    at: /^body\.steps\.\d\.(step|priority)$/,
    reason:
      'Steps keep the order in which they were given, and priorities are numbers; Ironic reorders the steps when a template is changed',
  },
  {
    requests: /^rescue: rescued$/,
    at: /^body\.instance_info\.(hashed_)?rescue_password$/,
    ours: NOTHING,
    reason: 'The rescue password is deleted once it was used',
  },
  {
    requests: /^node-vendor: /,
    at: /^(status|body\.\w+_method\w*)$/,
    reason: "Ironic's fake vendor interface has methods for Ironic's own tests",
  },
  {
    requests: /^versions: the root/,
    at: /^body\.description$/,
    reason: 'The description names Ingot',
  },
  {
    requests: /^versions: v1/,
    at: /^body\.links\.1$/,
    reason: "The second link leads to Ironic's documentation; Ingot does not have it",
  },
  {
    requests: /^versions: XML$/,
    at: /^status$/,
    reason: 'A body that is not JSON is 415',
  },
  {
    requests: /^(drivers: (detail|show)|nodes: |node-lists: |node-patches: )/,
    at: /((enabled|default)_inspect_interfaces?|inspect_interface)(\.\d)?$/,
    reason: 'The ipmi driver inspects in band by default; in Ironic 21.4 this needs another service',
  },
  {
    requests: /^drivers: (detail|show)/,
    at: /enabled_(network|storage)_interfaces\.\d$/,
    reason: 'Ingot enables interfaces that are not enabled in the Ironic under test',
  },
  {
    requests: /^drivers: properties$/,
    at: /^body\./,
    reason: "The properties are those of Ingot's fake hardware",
  },
  {
    requests: /^nodes: validate the ipmi node$/,
    at: /^body\.inspect\./,
    reason: 'The node validates for inspection; the ipmi driver of Ironic 21.4 cannot inspect',
  },
  {
    requests: /^node-management: boot device after$/,
    at: /^body\.persistent$/,
    reason: 'Fake hardware remembers whether the boot device is persistent',
  },
  {
    requests: /^node-raid: properties of logical disks$/,
    at: /^body\.\w+$/,
    reason: 'The keys are the same, but the descriptions are worded differently',
  },
  {
    requests: /^(node-provision|history): /,
    at: /^status$/,
    oracle: /^202$/,
    ours: /has the clean step/,
    reason: 'An unknown step is refused with 400; Ironic accepts the request and then fails the node',
  },
  {
    requests:
      /^node-provision: (after a step|provide when|active when|deleted when|manage until manageable after)/,
    at: /./,
    reason: 'This follows from the refusal of the unknown step before it',
  },
  {
    requests: /^history: (list|detail|a page|after a marker|one)$/,
    at: /^body\./,
    reason: 'The history also contains operations that succeeded',
  },
  {
    requests: /^ramdisk: clean wait$/,
    at: /^settled\.clean_step\./,
    reason: '`clean_step` shows the current step while it waits for the agent',
  },
  {
    requests: /^ramdisk: heartbeat of an absent node$/,
    at: /^status$/,
    ours: /400/,
    reason:
      'A heartbeat without a token is 400 for every node, so that callers cannot find out which nodes exist',
  },
  {
    requests: /^ramdisk: continue inspection before it was$/,
    at: /^status$/,
    ours: /400/,
    reason: 'continue_inspection is accepted in every version, because agents send no version',
  },
  {
    requests: /^ramdisk: manage again$/,
    at: /^settled\.last_error$/,
    reason: 'A new action clears last_error',
  },
];

export const INTENDED_DIFFERENCES: readonly ReviewedDifference[] = [
  ...GENERAL,
  ...ACCEPTED_BY_OURS,
  ...REFUSED_BY_OURS,
  ...BETTER,
];
