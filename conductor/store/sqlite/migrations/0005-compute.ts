/** Tables of the compute façade: flavors, servers, images, networks and others. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';

type AnySchema = Kysely<unknown>;

/** `!`: not null. Defaults: an empty list, an empty dictionary, a flag that is false. */
type Column = 'text' | 'text!' | 'integer' | 'integer!' | 'real!' | 'list' | 'dictionary' | 'flag';

const BUILD = {
  text: (c) => c,
  'text!': (c) => c.notNull(),
  integer: (c) => c,
  'integer!': (c) => c.notNull(),
  'real!': (c) => c.notNull(),
  list: (c) => c.notNull().defaultTo('[]'),
  dictionary: (c) => c.notNull().defaultTo('{}'),
  flag: (c) => c.notNull().defaultTo(0),
} as const satisfies Record<Column, (c: ColumnDefinitionBuilder) => ColumnDefinitionBuilder>;

const typeOf = (column: Column): 'text' | 'integer' | 'real' =>
  column.startsWith('integer') || column === 'flag' ? 'integer' : column === 'real!' ? 'real' : 'text';

async function table(db: AnySchema, name: string, columns: Readonly<Record<string, Column>>): Promise<void> {
  let builder = db.schema
    .createTable(name)
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'integer') as ReturnType<AnySchema['schema']['createTable']>;
  for (const [column, kind] of Object.entries(columns)) {
    builder = builder.addColumn(column, typeOf(kind), BUILD[kind]);
  }
  await builder.execute();
}

export async function up(db: AnySchema): Promise<void> {
  await table(db, 'flavors', {
    name: 'text!',
    description: 'text',
    vcpus: 'integer!',
    ram_mb: 'integer!',
    root_gb: 'integer!',
    ephemeral_gb: 'integer!',
    swap_mb: 'integer!',
    rxtx_factor: 'real!',
    is_public: 'flag',
    is_disabled: 'flag',
    projects: 'list',
    extra_specs: 'dictionary',
  });
  await table(db, 'keypairs', {
    user_id: 'text!',
    name: 'text!',
    type: 'text!',
    public_key: 'text!',
    fingerprint: 'text!',
  });
  await table(db, 'server_groups', {
    project_id: 'text!',
    user_id: 'text!',
    name: 'text!',
    policy: 'text!',
    max_server_per_host: 'integer!',
  });
  await table(db, 'aggregates', {
    name: 'text!',
    hosts: 'list',
    metadata: 'dictionary',
  });
  await table(db, 'compute_services', {
    binary: 'text!',
    host: 'text!',
    is_disabled: 'flag',
    disabled_reason: 'text',
    forced_down: 'flag',
    reported_at: 'integer',
  });
  await table(db, 'servers', {
    project_id: 'text!',
    user_id: 'text!',
    name: 'text!',
    hostname: 'text!',
    description: 'text',
    vm_state: 'text!',
    task_state: 'text',
    power_state: 'integer!',
    host: 'text',
    node_uuid: 'text',
    flavor: 'dictionary',
    image_uuid: 'text',
    key_name: 'text',
    public_key: 'text',
    availability_zone: 'text',
    access_ipv4: 'text',
    access_ipv6: 'text',
    forced_place: 'text',
    server_group_uuid: 'text',
    scheduler_hints: 'dictionary',
    requested_networks: 'list',
    metadata: 'dictionary',
    tags: 'list',
    has_config_drive: 'flag',
    user_data: 'text',
    personality: 'list',
    admin_pass: 'text',
    is_locked: 'flag',
    locked_reason: 'text',
    fault: 'text',
    tried: 'list',
    alternates: 'list',
    reservation_id: 'text!',
    launch_index: 'integer!',
    min_count: 'integer!',
    preserves_ephemeral: 'flag',
    launched_at: 'integer',
    terminated_at: 'integer',
  });
  await table(db, 'instance_actions', {
    server_uuid: 'text!',
    action: 'text!',
    request_id: 'text!',
    project_id: 'text!',
    user_id: 'text!',
    message: 'text',
    finished_at: 'integer',
    events: 'list',
  });
  await table(db, 'scheduling_reports', {
    request_id: 'text!',
    project_id: 'text!',
    server_uuids: 'list',
    report: 'dictionary',
  });
  await table(db, 'images', {
    name: 'text',
    status: 'text!',
    visibility: 'text!',
    owner: 'text',
    disk_format: 'text',
    container_format: 'text',
    min_disk_gb: 'integer!',
    min_ram_mb: 'integer!',
    size_bytes: 'integer',
    virtual_size_bytes: 'integer',
    checksum: 'text',
    os_hash_algo: 'text',
    os_hash_value: 'text',
    is_protected: 'flag',
    is_hidden: 'flag',
    tags: 'list',
    properties: 'dictionary',
    members: 'list',
    import_url: 'text',
    import_error: 'text',
  });
  await table(db, 'networks', {
    name: 'text!',
    description: 'text!',
    project_id: 'text!',
    is_shared: 'flag',
    is_external: 'flag',
    is_admin_up: 'flag',
    is_default: 'flag',
    mtu: 'integer!',
    network_type: 'text!',
    physical_network: 'text',
    segmentation_id: 'integer',
    tags: 'list',
  });
  await table(db, 'subnets', {
    network_uuid: 'text!',
    name: 'text!',
    description: 'text!',
    project_id: 'text!',
    ip_version: 'integer!',
    cidr: 'text!',
    gateway_ip: 'text',
    is_dhcp_enabled: 'flag',
    allocation_pools: 'list',
    dns_nameservers: 'list',
    host_routes: 'list',
    tags: 'list',
  });
  await table(db, 'network_ports', {
    network_uuid: 'text!',
    name: 'text!',
    description: 'text!',
    project_id: 'text!',
    is_admin_up: 'flag',
    status: 'text!',
    mac_address: 'text!',
    fixed_ips: 'list',
    device_id: 'text!',
    device_owner: 'text!',
    dns_name: 'text!',
    binding_host: 'text!',
    binding_profile: 'dictionary',
    vnic_type: 'text!',
    node_port_uuid: 'text',
    is_owned_by_server: 'flag',
    tags: 'list',
  });
  await table(db, 'ip_allocations', {
    subnet_uuid: 'text!',
    address: 'text!',
    network_port_uuid: 'text!',
  });
  for (const [on, columns] of ONCE) {
    await db.schema
      .createIndex(`${on}_once`)
      .unique()
      .on(on)
      .columns([...columns])
      .execute();
  }
  for (const [on, columns] of FOUND_BY) {
    await db.schema
      .createIndex(`${on}_by_${columns[0]}`)
      .on(on)
      .columns([...columns])
      .execute();
  }
}

/** Unique indexes. */
const ONCE = [
  ['flavors', ['name']],
  ['keypairs', ['user_id', 'name']],
  ['aggregates', ['name']],
  ['compute_services', ['binary', 'host']],
  ['network_ports', ['network_uuid', 'mac_address']],
  ['ip_allocations', ['subnet_uuid', 'address']],
] as const;

const FOUND_BY = [
  ['servers', ['project_id', 'id']],
  ['servers', ['node_uuid']],
  ['servers', ['task_state']],
  ['servers', ['server_group_uuid']],
  ['servers', ['reservation_id']],
  ['instance_actions', ['server_uuid', 'id']],
  ['subnets', ['network_uuid']],
  ['network_ports', ['device_id']],
  ['network_ports', ['mac_address']],
  ['network_ports', ['project_id']],
  ['network_ports', ['network_uuid']],
  ['ip_allocations', ['network_port_uuid']],
] as const;
