/**
 * Commands of the `openstack` client as users of a cloud run them: each command, the output it must have, and whether it
 * is expected to be refused, or repeated until it has that output.
 */
export type Row = readonly [command: string, shows: RegExp, how?: 'refused' | 'until'];

const NOTHING = /^$/;
/** Output of commands that wait, while they wait. */
const WAITED = /^(Progress: \d+\s*)*(Complete)?$/;
const status = (value: string): RegExp => new RegExp(`status +\\| ${value}\\b`);

/** `{dir}` contains the files `disk.raw` and `user-data`. */
const CATALOGUE: readonly Row[] = [
  [
    'flavor create --ram 8192 --vcpus 4 --disk 50 --property resources:CUSTOM_GOLD=1 --id gold-1 gold',
    /id +\| gold-1[\s\S]*resources:CUSTOM_GOLD='1'/,
  ],
  ['flavor create --ram 999999 --vcpus 4 --disk 50 huge', /ram +\| 999999/],
  ['flavor create --ram 512 --vcpus 1 --disk 1 --private --description mine secret', /is_public +\| False/],
  ['flavor list', / gold [\s\S]* huge |huge[\s\S]*gold/],
  ['flavor list --all --long', /secret/],
  ['flavor set --property capabilities:boot_mode=uefi secret', NOTHING],
  ['flavor show secret', /capabilities:boot_mode='uefi'/],
  ['flavor unset --property capabilities:boot_mode secret', NOTHING],
  ['flavor delete secret', NOTHING],
  ['flavor show none-such', /No Flavor found for none-such/, 'refused'],
  [
    'image create --file {dir}/disk.raw --disk-format raw --container-format bare --property hw_architecture=x86_64 web',
    /status +\| (active|queued)/,
  ],
  ['image list', /web +\| active/],
  ['image show web', /checksum +\| [0-9a-f]{32}[\s\S]*disk_format +\| raw/],
  ['image set --property os_distro=debian --min-disk 1 --tag blue web', NOTHING],
  ['image show -c properties web', /os_distro='debian'/],
  ['image unset --tag blue --property os_distro web', NOTHING],
  ['image save --file {dir}/back.raw web', NOTHING],
  [
    'network create --provider-network-type flat --provider-physical-network physnet1 --share lan',
    /status +\| ACTIVE/,
  ],
  [
    'subnet create --network lan --subnet-range 10.7.0.0/24 --dns-nameserver 10.7.0.53 lan4',
    /10\.7\.0\.2-10\.7\.0\.254/,
  ],
  ['network list', /lan/],
  ['network show lan', /provider:physical_network +\| physnet1/],
  ['network set --description here lan', NOTHING],
  ['subnet list', /10\.7\.0\.0\/24/],
  ['subnet show lan4', /gateway_ip +\| 10\.7\.0\.1/],
  ['port create --network lan --fixed-ip ip-address=10.7.0.77 spare', /10\.7\.0\.77/],
  ['port list', /spare/],
  ['port set --name mine spare', NOTHING],
  ['port show mine', /10\.7\.0\.77/],
  ['keypair create --private-key {dir}/key ada', /fingerprint/],
  ['keypair list', /ada/],
  ['keypair show --public-key ada', /^ssh-/],
  ['server group create --policy anti-affinity apart', /anti-affinity/],
  ['server group list', /apart/],
  ['server group show apart', /anti-affinity/],
  ['aggregate create --zone left rack1', /availability_zone +\| left/],
  ['aggregate add host rack1 n1', /n1/],
  ['aggregate set --property row=3 rack1', NOTHING],
  ['aggregate show rack1', /row='3'/],
  ['aggregate list', /rack1/],
  ['availability zone list', /left[\s\S]*available|available[\s\S]*left/],
  ['hypervisor list', /ironic +\| .* up/],
  ['hypervisor stats show', /count/],
  ['compute service list', /nova-compute[\s\S]*enabled[\s\S]*up/],
  ['limits show --absolute', /maxTotalInstances/],
];

const SERVERS: readonly Row[] = [
  [
    'server create --flavor gold --image web --network lan --key-name ada --user-data {dir}/user-data --property role=web --config-drive True --wait s1',
    /status +\| ACTIVE/,
  ],
  ['usage show --project default', /Servers +\| 1/],
  ['server list', /s1[\s\S]*ACTIVE[\s\S]*lan=10\.7\.0\.\d+/],
  ['server list --long', /s1 +\| ACTIVE[\s\S]*web[\s\S]*(left|nova)/],
  ['server show s1', /addresses +\| lan=10\.7\.0\.[\s\S]*key_name +\| ada[\s\S]*role='web'/],
  ['server set --name s2 --property a=b s1', NOTHING],
  ['server unset --property a s2', NOTHING],
  ['server set --name s1 s2', NOTHING],
  ['server reboot --soft --wait s1', /Complete|^$/],
  ['server reboot --hard --wait s1', /Complete|^$/],
  ['server stop s1', NOTHING],
  ['server show s1', status('SHUTOFF'), 'until'],
  ['server start s1', NOTHING],
  ['server show s1', status('ACTIVE'), 'until'],
  ['server rebuild --image web --wait s1', /Complete|status/],
  ['server rescue --password letmein s1', NOTHING],
  ['server show s1', status('RESCUE'), 'until'],
  ['server unrescue s1', NOTHING],
  ['server show s1', status('ACTIVE'), 'until'],
  ['server lock s1', NOTHING],
  ['server show -c OS-EXT-STS:vm_state s1', /active/],
  ['server unlock s1', NOTHING],
  ['console log show s1', /power/],
  ['console url show s1', /Machines have a serial console: ask for the type serial/, 'refused'],
  ['console url show --serial s1', /has no running console/, 'refused'],
  ['server event list s1', /create/],
  ['port list --server s1', /10\.7\.0\.\d+/],
  [
    'server create --flavor gold --image web --network lan --hint group={server group} --min 2 --max 2 --wait pair',
    /ACTIVE/,
  ],
  ['server group show apart', /members +\| [0-9a-f-]{36}/],
  ['server create --flavor huge --image web --network lan giant', status('(BUILD|ERROR)')],
  ['server show giant', /status +\| ERROR/, 'until'],
  ['server show -c fault giant', /No valid host was found[\s\S]*Ram/],
  // With --wait, the client treats a server in ERROR as one that could not be deleted.
  ['server delete giant', NOTHING],
  ['server delete --wait pair-1 pair-2', WAITED],
  ['server delete --wait s1', WAITED],
  ['server list', NOTHING],
];

/** Runs after NEWER, which uses these resources. */
export const ENDS: readonly Row[] = [
  ['compute service set --disable --disable-reason dust conformance nova-compute', NOTHING],
  ['compute service list --long', /disabled[\s\S]*dust/],
  ['compute service set --enable conformance nova-compute', NOTHING],
  ['port delete mine', NOTHING],
  ['subnet delete lan4', NOTHING],
  ['network delete lan', NOTHING],
  ['server group delete apart', NOTHING],
  ['aggregate remove host rack1 n1', /rack1/],
  ['aggregate delete rack1', NOTHING],
  ['keypair delete ada', NOTHING],
  ['image delete web', NOTHING],
  ['flavor delete gold huge', NOTHING],
];
/** With a token: the client's requests to Keystone, and the bare-metal API with the same token. */
const IDENTITY: readonly Row[] = [
  ['token issue', /project_id +\| default/],
  ['catalog list', /nova[\s\S]*glance[\s\S]*neutron[\s\S]*ironic/],
  ['endpoint list --service compute --interface public', /\/compute\/v2\.1/],
  ['project list', /default/],
  ['project show default', /domain_id +\| default/],
  ['user show ada', /default_project_id +\| default/],
  ['role assignment list --names --user ada', /admin +\| ada@Default +\|[\s\S]*default@Default/],
  ['region list', /RegionOne/],
  ['flavor create --ram 512 --vcpus 1 --disk 1 --private mine', /is_public +\| False/],
  ['flavor set --project default mine', NOTHING],
  ['flavor show mine', /access_project_ids +\| \['default'\]/],
  ['flavor delete mine', NOTHING],
  ['baremetal node list', /n1[\s\S]*available/],
  ['token revoke none-such', /Could not find token/, 'refused'],
];

/** With newer microversions, which this client uses only when told to. */
export const NEWER: readonly Row[] = [
  ['server create --flavor gold --image web --network none --wait bare', status('ACTIVE')],
  ['server show bare', /addresses +\| +\|[\s\S]*vcpus|vcpus[\s\S]*addresses/],
  ['server add network bare lan', NOTHING],
  ['server show -c addresses bare', /10\.7\.0\.\d+/],
  ['server set --tag blue --description left bare', NOTHING],
  ['server list --tags blue', /bare/],
  ['server unset --tag blue bare', NOTHING],
  ['server list --tags blue', NOTHING],
  ['server create --flavor gold --image web --nic auto --wait easy', /10\.7\.0\.\d+/],
  ['server delete --wait bare easy', WAITED],
];

/** Commands that work with every way to log in. */
export const IN_EVERY_CLOUD: readonly Row[] = [
  ['flavor create --ram 8192 --vcpus 4 --disk 50 --property resources:CUSTOM_GOLD=1 gold', /ram +\| 8192/],
  ['flavor list', /gold/],
  ['image create --file {dir}/disk.raw --disk-format raw --container-format bare web', /name +\| web/],
  ['network create --provider-network-type flat --provider-physical-network physnet1 lan', status('ACTIVE')],
  ['subnet create --network lan --subnet-range 10.7.0.0/24 lan4', /10\.7\.0\.0\/24/],
  ['network list', /lan/],
  ['keypair create ada', /PRIVATE KEY/],
  ['server group create --policy anti-affinity apart', /anti-affinity/],
  ['hypervisor list', /ironic/],
  ['compute service list', /nova-compute[\s\S]*enabled[\s\S]*up/],
  ['availability zone list', /available/],
  ['server create --flavor gold --image web --network lan --key-name ada --wait s1', status('ACTIVE')],
  ['server list', /s1 +\| ACTIVE +\| lan=10\.7\.0\.\d+/],
  ['server show s1', /addresses +\| lan=10\.7\.0\.[\s\S]*key_name +\| ada/],
  ['server reboot --wait s1', /Complete|^$/],
  ['server stop s1', NOTHING],
  ['server show s1', status('SHUTOFF'), 'until'],
  ['server start s1', NOTHING],
  ['server show s1', status('ACTIVE'), 'until'],
  ['server rebuild --image web --wait s1', /Complete|status/],
  ['server rescue --password letmein s1', NOTHING],
  ['server show s1', status('RESCUE'), 'until'],
  ['server unrescue s1', NOTHING],
  ['server show s1', status('ACTIVE'), 'until'],
  ['console log show s1', /power/],
  ['baremetal node list', /n1[\s\S]*active/],
  ['server delete --wait s1', WAITED],
];

export const ALL: readonly Row[] = [...IDENTITY, ...CATALOGUE, ...SERVERS];
