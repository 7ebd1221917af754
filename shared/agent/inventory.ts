/**
 * The hardware inventory in the form of ironic-python-agent (keys in snake_case). An agent fills it in; a conductor
 * reads it with inventory-facts.ts.
 */
export interface Inventory {
  readonly cpu: {
    readonly model_name: string | null;
    /** MHz, as text. */
    readonly frequency: string | null;
    readonly count: number;
    readonly architecture: string;
    readonly flags: readonly string[];
    readonly socket_count: number | null;
  };
  readonly memory: {
    /** Bytes that the kernel can use. */
    readonly total: number;
    /** Installed memory, MiB. */
    readonly physical_mb: number;
  };
  readonly disks: readonly InventoryDisk[];
  readonly interfaces: readonly InventoryInterface[];
  readonly system_vendor: {
    readonly product_name: string;
    readonly serial_number: string;
    readonly manufacturer: string;
    readonly firmware: { readonly vendor: string; readonly version: string; readonly build_date: string };
  };
  readonly boot: {
    readonly current_boot_mode: 'bios' | 'uefi';
    /** MAC address of the interface from which it booted. */
    readonly pxe_interface: string | null;
  };
  readonly bmc_address: string | null;
  readonly bmc_v6address: string | null;
  readonly hostname: string;
}

export interface InventoryDisk {
  /** Device path, `/dev/sda`. */
  readonly name: string;
  readonly model: string;
  /** Bytes. */
  readonly size: number;
  readonly rotational: boolean;
  readonly wwn: string | null;
  readonly serial: string | null;
  readonly vendor: string | null;
  readonly wwn_with_extension: string | null;
  readonly wwn_vendor_extension: string | null;
  /** `host:channel:target:lun`. */
  readonly hctl: string | null;
  readonly by_path: string | null;
  readonly logical_sectors: number;
  readonly physical_sectors: number;
  readonly tran: string | null;
}

export interface InventoryInterface {
  readonly name: string;
  readonly mac_address: string;
  readonly ipv4_address: string | null;
  readonly ipv6_address: string | null;
  readonly has_carrier: boolean;
  readonly lldp: null;
  /** PCI ids, `0x8086`. */
  readonly vendor: string | null;
  readonly product: string | null;
  readonly client_id: null;
  readonly biosdevname: null;
  readonly speed_mbps: number | null;
  readonly pci_address: string | null;
  readonly driver: string | null;
}
