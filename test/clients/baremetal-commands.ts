/**
 * A node's life that uses every command of the `baremetal` client: each command, the output it must have, and whether it
 * is expected to be refused.
 */
type Row = readonly [command: string, shows: RegExp, refused?: 'refused'];

const id = (last: string): string => `6a8b3c1e-0000-4000-8000-00000000000${last}`;
const [N1, N2, PORT, CHASSIS, CONNECTOR, TARGET, VIF] = ['1', '2', '3', '4', '5', '6', '7'].map(id) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const NOTHING = /^$/;
/** Output of commands that wait, if the state was not reached at once. */
const WAITED = /^(Waiting for provision state .*)?$/;
const SETTINGS = { settings: [{ name: 'LogicalProc', value: 'Enabled' }] };
const STEP = { interface: 'bios', step: 'apply_configuration', args: SETTINGS };

/** Input for `create`: a chassis with a node with a port. */
const CREATED = {
  chassis: [
    {
      description: 'from a file',
      nodes: [{ name: 'filed', driver: 'fake-hardware', ports: [{ address: '52:54:00:ff:00:01' }] }],
    },
  ],
};

/** Files that commands read. The client's shell cannot quote, so arguments with quotes are in files. */
export const FILES: Readonly<Record<string, unknown>> = {
  'create.json': CREATED,
  'template.json': [{ ...STEP, priority: 150 }],
  'late.json': [{ ...STEP, priority: 90 }],
  'clean.json': [STEP],
  'drive/openstack/latest/meta_data.json': { a: 'b' },
};

const CATALOGUE: readonly Row[] = [
  ['driver list', /fake-hardware/],
  ['driver show fake-hardware', /default_power_interface +\| fake/],
  ['driver property list ipmi', /ipmi_address/],
  ['driver raid property list fake-hardware', /size_gb/],
  ['driver passthru list fake-hardware', NOTHING],
  ['driver passthru call fake-hardware nothing', /has no vendor methods/, 'refused'],
  ['conductor list', /True/],
  ['conductor show conformance', /alive +\| True/],
  [`chassis create --uuid ${CHASSIS} --description rack`, /rack/],
  [`chassis list --long`, /rack/],
  [`chassis set ${CHASSIS} --extra row=3 --description left`, NOTHING],
  [`chassis unset ${CHASSIS} --extra row`, NOTHING],
  [`chassis show ${CHASSIS}`, /description +\| left/],
  ['create {dir}/create.json', NOTHING],
  ['node show filed', /driver +\| fake-hardware/],
];

const NODES: readonly Row[] = [
  [
    `node create --driver fake-hardware --name n1 --uuid ${N1} --chassis-uuid ${CHASSIS} --resource-class gold --property cpu_arch=x86_64`,
    /provision_state +\| enroll/,
  ],
  [`node create --driver fake-hardware --name n2 --uuid ${N2}`, /provision_state +\| enroll/],
  ['node list --long --resource-class gold', /n1/],
  ['node show n1 --fields name resource_class', /gold/],
  ['node set n1 --extra a=1 --description rack --owner me', NOTHING],
  ['node unset n1 --extra a --description --owner', NOTHING],
  ['node validate n1', /power +\| True/],
  [`port create 52:54:00:00:00:01 --node ${N1} --uuid ${PORT} --pxe-enabled true`, /52:54:00:00:00:01/],
  ['port list --node n1', /52:54:00:00:00:01/],
  [`port set ${PORT} --extra slot=1 --physical-network blue`, NOTHING],
  [`port unset ${PORT} --extra slot --physical-network`, NOTHING],
  [`port group create --node ${N1} --name bond0 --mode 802.3ad --property miimon=100`, /802\.3ad/],
  ['port group list --node n1 --long', /bond0/],
  ['port group set bond0 --extra a=1 --mode active-backup', NOTHING],
  ['port group unset bond0 --extra a', NOTHING],
  [`port set ${PORT} --port-group {port group}`, NOTHING],
  ['port group show bond0', /mode +\| active-backup/],
  [`port show ${PORT}`, /portgroup_uuid +\| [0-9a-f]{8}-/],
  [`port unset ${PORT} --port-group`, NOTHING],
  ['port group delete bond0', /Deleted port group bond0/],
  ['node add trait n1 CUSTOM_A CUSTOM_B', /Added trait CUSTOM_A/],
  ['node trait list n1', /CUSTOM_A[\s\S]*CUSTOM_B/],
  ['node remove trait n1 CUSTOM_B', /Removed trait CUSTOM_B/],
  ['node maintenance set n1 --reason dust', NOTHING],
  ['node maintenance unset n1', NOTHING],
  ['node power off n1', NOTHING],
  [
    `volume connector create --node ${N1} --type iqn --connector-id iqn.2026-01.test:a --uuid ${CONNECTOR}`,
    /iqn/,
  ],
  ['volume connector list --node n1', /iqn\.2026-01\.test:a/],
  [`volume connector set ${CONNECTOR} --extra a=1`, NOTHING],
  [`volume connector unset ${CONNECTOR} --extra a`, NOTHING],
  [`volume connector show ${CONNECTOR}`, /iqn\.2026-01\.test:a/],
  [`volume target create --node ${N1} --type iscsi --volume-id v1 --boot-index 0 --uuid ${TARGET}`, /iscsi/],
  ['volume target list --node n1', /v1/],
  [`volume target set ${TARGET} --property target_lun=1`, NOTHING],
  [`volume target unset ${TARGET} --property target_lun`, NOTHING],
  [`volume target show ${TARGET}`, /boot_index +\| 0/],
  [`volume connector delete ${CONNECTOR}`, /Deleted volume connector/],
  [`volume target delete ${TARGET}`, /Deleted volume target/],
  ['deploy template create CUSTOM_A --steps {dir}/template.json', /CUSTOM_A/],
  ['deploy template list', /CUSTOM_A/],
  ['deploy template set CUSTOM_A --steps {dir}/late.json --extra a=1', NOTHING],
  ['deploy template unset CUSTOM_A --extra a', NOTHING],
  ['deploy template show CUSTOM_A', /apply_configuration/],
];

const LIFE: readonly Row[] = [
  ['node manage n1 --wait 30', WAITED],
  ['node inspect n1 --wait 30', WAITED],
  ['node clean n1 --wait 30 --clean-steps {dir}/clean.json', WAITED],
  ['node bios setting list n1', /LogicalProc/],
  ['node bios setting show n1 LogicalProc', /Enabled/],
  ['node provide n1 --wait 30', WAITED],
  ['allocation create --resource-class gold --name a1 --trait CUSTOM_A --wait 30', /state +\| active/],
  ['allocation list', /a1/],
  ['allocation set a1 --extra a=1 --name a2', NOTHING],
  ['allocation unset a2 --extra a', NOTHING],
  ['allocation show a2', new RegExp(`node_uuid +\\| ${N1}`)],
  ['node set n1 --instance-info image_source=http://images.example/a', NOTHING],
  ['allocation delete a2', /Deleted allocation a2/],
  ['node deploy n1 --config-drive {dir}/drive --wait 30', WAITED],
  ['node show n1 --fields provision_state power_state', /active[\s\S]*power on|power on[\s\S]*active/],
  ['node rebuild n1 --wait 30', WAITED],
  ['node rescue n1 --rescue-password secret --wait 30', WAITED],
  ['node unrescue n1 --wait 30', WAITED],
  ['node reboot n1', NOTHING],
  [`node vif attach n1 ${VIF}`, NOTHING],
  ['node vif list n1', NOTHING],
  [`node vif detach n1 ${VIF}`, NOTHING],
  ['node console enable n1', NOTHING],
  ['node console show n1', /console_enabled +\| True/],
  ['node console disable n1', NOTHING],
  ['node boot device set n1 pxe --persistent', NOTHING],
  ['node boot device show n1', /boot_device +\| pxe/],
  ['node boot mode set n1 uefi', NOTHING],
  ['node secure boot on n1', NOTHING],
  ['node secure boot off n1', NOTHING],
  ['node inject nmi n1', /does not support inject_nmi/, 'refused'],
  ['node passthru list n1', /third_method_sync/],
  // The client cannot print a boolean, which is what this method returns, in Ironic as well.
  ['node passthru call n1 third_method_sync --arg bar=meow', /'bool' object has no attribute 'items'/],
  ['node undeploy n1 --wait 30', WAITED],
  ['node abort n1', /abort/, 'refused'],
  ['node manage n2 --wait 30', WAITED],
  ['node adopt n2 --wait 30', WAITED],
  ['node history list n1', /Description of the event/],
  [`node history get n1 ${VIF}`, /could not be found/, 'refused'],
  ['node power on n1', NOTHING],
];

const ENDS: readonly Row[] = [
  [`port delete ${PORT}`, /Deleted port/],
  ['deploy template delete CUSTOM_A', /Deleted deploy template CUSTOM_A/],
  ['node maintenance set n2', NOTHING],
  ['node delete n1 n2 filed', /Deleted node n1[\s\S]*Deleted node n2/],
  [`chassis delete ${CHASSIS}`, /Deleted chassis/],
];

export const COMMANDS: readonly Row[] = [...CATALOGUE, ...NODES, ...LIFE, ...ENDS];
