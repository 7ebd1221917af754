/**
 * Where our answers differ from Ironic's on purpose. Reviewed one by one; an entry that nothing needs fails the test.
 */
import type { ReviewedDifference } from './compare.ts';

const NOTHING = /^\(nothing\)$/;

/** Everywhere. */
const GENERAL: readonly ReviewedDifference[] = [
  {
    requests: /./,
    at: /^headers\.(openstack-request-id|x-openstack-ironic-api-)/,
    oracle: NOTHING,
    reason:
      'Ironic leaves these headers off answers of its router and of bad versions; clients negotiate by them, so ours are always there',
  },
  {
    requests: /./,
    at: /(^headers\.x-openstack-ironic-api-maximum-version|version\.version|versions\.0\.version)$/,
    oracle: /^"1\.82"$/,
    reason: 'Ironic 21.4 ends at 1.82; ours goes on',
  },
  {
    requests: /^versions: v1 latest$/,
    at: /^headers\.x-openstack-ironic-api-version$|^body\.\w+$/,
    oracle: /^"1\.82"$|^\(nothing\)$/,
    reason: 'The latest version is our newest, with what it has',
  },
  {
    requests: /^(node-lists: by parent, too new|ports: a name before it was)$/,
    at: /^status$/,
    oracle: /^"400/,
    ours: /^"406/,
    reason: 'What came after 21.4 is newer than the version, and no unknown word',
  },
  {
    requests: /./,
    at: /^status$/,
    oracle: /^"?500/,
    ours: /^"?(4|200)/,
    reason: 'Ironic falls over; ours does it, or says what is wrong with the request',
  },
  {
    requests: /./,
    at: /^error\.shape$/,
    oracle: /application/,
    ours: /router/,
    reason: 'Refusals of paths, methods and versions have one shape in ours; Ironic has either, by code path',
  },
  {
    requests: /: (delete )?a bad name$/,
    at: /^error\.shape$/,
    oracle: /router/,
    ours: /application/,
    reason: 'A bad name is a bad name wherever it stands; Ironic uses the other shape when it is in the path',
  },
  {
    requests: /: ((PATCH on a|delete the|the|PATCH the) collection)$/,
    at: /^status$/,
    oracle: /^"400 Missing mandatory parameter/,
    ours: /405/,
    reason: 'A method that a collection does not have is 405 and says which it has',
  },
  {
    requests: /./,
    at: /driver_internal_info\.\w+$/,
    oracle: /./,
    ours: NOTHING,
    reason: "Internal notes of Ironic's conductor; no client reads them, ours keeps its own elsewhere",
  },
  {
    requests: /./,
    at: /power_state$/,
    oracle: /^"power off"$/,
    ours: /^"power on"$/,
    reason:
      'Our fake hardware is on after a deploy and a rescue, as real hardware is; Ironic leaves it as it was',
  },
];

const ACCEPTED_BY_OURS: readonly ReviewedDifference[] = [
  {
    requests: /^nodes: show by upper case uuid$/,
    at: /^status$/,
    reason: 'A uuid is found in capitals too (RFC 9562, section 4)',
  },
  {
    requests: /^nodes: chosen fields twice$/,
    at: /^status$/,
    reason: 'fields=a&fields=b means both',
  },
  {
    requests: /^node-patches: (a key with a (slash|tilde)|automated clean)$/,
    at: /^(status|body\.extra\.a[/~]b)$/,
    reason: 'JSON Patch escapes keys so (RFC 6901, section 3); Ironic does it from 1.98',
  },
  {
    requests: /^ports: of the node by name$/,
    at: /^status$/,
    reason: 'A node has a name here too; Ironic looks for a port group None',
  },
  {
    requests: /^ports: of the node, a page$/,
    at: /^body\.next$/,
    reason: 'The next page is one of this node, not of all ports',
  },
];

const REFUSED_BY_OURS: readonly ReviewedDifference[] = [
  {
    requests: /: (list with )?detail before it was$/,
    at: /^status$/,
    ours: /406/,
    reason: 'An argument newer than the version is 406 like all others',
  },
  {
    requests: /^(portgroups: properties|allocations: node) before (they were|it was)$/,
    at: /^status$/,
    ours: /406/,
    reason: 'A field newer than the version is 406 like all others',
  },
  {
    requests: /^allocations: by (a node|an absent node|node|node name)$/,
    at: /^(status|body\.)/,
    reason: 'The filter by node filters; Ironic 21.4 answers with every allocation',
  },
  {
    requests: /: (an absent portgroup|move the port to an absent one|of an absent node)$/,
    at: /^status$/,
    oracle: /400/,
    ours: /404/,
    reason: 'What is not there is 404',
  },
  {
    requests: /^nodes: an interface not of the driver$/,
    at: /^status$/,
    reason: 'Ironic takes an interface that our fake-hardware does not have',
  },
  {
    requests: /^node-lists: (by description|retired) before it was$/,
    at: /^status$/,
    ours: /406/,
    reason:
      'A filter that is too new is refused like all others; Ironic ignores these two and lists every node',
  },
  {
    requests: /^node-lists: sorted by $/,
    at: /^status$/,
    reason: 'An empty sort_key names no field',
  },
  {
    requests: /^node-provision: (a newer verb|undeploy before it was)$/,
    at: /^status$/,
    ours: /406/,
    reason: 'A verb newer than the version is 406 as all others are',
  },
  {
    requests: /^ramdisk: lookup at 1\.(22|61)$/,
    at: /^status$/,
    ours: /406/,
    reason: 'Agents without token are not let in; Ironic has refused them since 2023.2',
  },
  {
    requests: /^ramdisk: (lookup|driver_internal_info)/,
    at: /permitted_image_formats\.2$/,
    oracle: /iso/,
    ours: NOTHING,
    reason: 'No image of ours is written as an ISO',
  },
  {
    requests: /^inventory: ((virtual media|children|firmware), too new|nothing of the kind)$/,
    at: /^status$/,
    oracle: /^"400 Field/,
    ours: /404/,
    reason: 'A path that is not there is 404, not a bad field',
  },
  {
    requests: /^(node-management: management|traits: before they were, by PUT)$/,
    at: /^status$/,
    oracle: /405/,
    reason: 'No such path, or no such thing at that version',
  },
];

const BETTER: readonly ReviewedDifference[] = [
  {
    requests: /^chassis: /,
    at: /^body\.(chassis\.\d\.)?nodes\.[01]$/,
    reason: 'nodes of a chassis is a list of links as everywhere; Ironic wraps it in another list by a slip',
  },
  {
    requests: /^node-boot-mode: (uefi|secure boot)$/,
    at: /^settled\.last_error$/,
    ours: /^null$/,
    reason: 'Our fake hardware has boot modes; that of Ironic accepts the request and fails it',
  },
  {
    requests: /^portgroups: ports by portgroup and node$/,
    at: /^status$/,
    reason: 'Both filters may be given; Ironic forbids it',
  },
  {
    requests: /^portgroups: an empty name$/,
    at: /^body\.name$/,
    reason: 'An empty name is none',
  },
  {
    requests: /^portgroups: show at 1\.2[345]$/,
    at: /^body\.(mode|properties|ports)$/,
    ours: NOTHING,
    reason: 'A client of an old version does not see newer fields; Ironic forgets to hide these',
  },
  {
    requests: /^(chassis: .*|chassis: its nodes, a page)$/,
    at: /^body\.next$/,
    reason: 'The next page is one of this chassis, not of all nodes',
  },
  {
    requests: /^deploy-templates: /,
    at: /^body\.steps\.\d\.(step|priority)$/,
    reason:
      'Steps keep the order they were given in and priorities are numbers; Ironic reorders steps on a change',
  },
  {
    requests: /^rescue: rescued$/,
    at: /^body\.instance_info\.(hashed_)?rescue_password$/,
    ours: NOTHING,
    reason: 'The password is gone once it was used',
  },
  {
    requests: /^node-vendor: /,
    at: /^(status|body\.\w+_method\w*)$/,
    reason: "Ironic's fake vendor has methods for its own tests",
  },
  {
    requests: /^versions: the root/,
    at: /^body\.description$/,
    reason: 'It is ours that answers',
  },
  {
    requests: /^versions: v1/,
    at: /^body\.links\.1$/,
    reason: "A link to Ironic's documentation",
  },
  {
    requests: /^versions: XML$/,
    at: /^status$/,
    reason: '415 for what is no JSON',
  },
  {
    requests: /^(drivers: (detail|show)|nodes: |node-lists: |node-patches: )/,
    at: /((enabled|default)_inspect_interfaces?|inspect_interface)(\.\d)?$/,
    reason: 'Our ipmi inspects in band by default; in 21.4 that takes another service',
  },
  {
    requests: /^drivers: (detail|show)/,
    at: /enabled_(network|storage)_interfaces\.\d$/,
    reason: 'Interfaces that the oracle is not configured for',
  },
  {
    requests: /^drivers: properties$/,
    at: /^body\./,
    reason: 'Settings of fake hardware',
  },
  {
    requests: /^nodes: validate the ipmi node$/,
    at: /^body\.inspect\./,
    reason: 'Ours can inspect',
  },
  {
    requests: /^node-management: boot device after$/,
    at: /^body\.persistent$/,
    reason: 'Our fake hardware remembers what it was told',
  },
  {
    requests: /^node-raid: properties of logical disks$/,
    at: /^body\.\w+$/,
    reason: 'The keys are the same, their descriptions our own words',
  },
  {
    requests: /^(node-provision|history): /,
    at: /^status$/,
    oracle: /^202$/,
    ours: /has the clean step/,
    reason: 'A step that is not there is refused at once; Ironic accepts it and fails the node',
  },
  {
    requests:
      /^node-provision: (after a step|provide when|active when|deleted when|manage until manageable after)/,
    at: /./,
    reason: 'Consequence of the refusal before it',
  },
  {
    requests: /^history: (list|detail|a page|after a marker|one)$/,
    at: /^body\./,
    reason: 'Our history has what succeeded as well',
  },
  {
    requests: /^ramdisk: clean wait$/,
    at: /^settled\.clean_step\./,
    reason: 'The step at work is shown while it waits for the agent',
  },
  {
    requests: /^ramdisk: heartbeat of an absent node$/,
    at: /^status$/,
    ours: /400/,
    reason: 'Without a token nobody learns which nodes there are',
  },
  {
    requests: /^ramdisk: continue inspection before it was$/,
    at: /^status$/,
    ours: /400/,
    reason: 'Agents send what they found without naming a version',
  },
  {
    requests: /^ramdisk: manage again$/,
    at: /^settled\.last_error$/,
    reason: 'A new action starts without the error of the old one',
  },
];

export const INTENDED_DIFFERENCES: readonly ReviewedDifference[] = [
  ...GENERAL,
  ...ACCEPTED_BY_OURS,
  ...REFUSED_BY_OURS,
  ...BETTER,
];
