/** The driver_info keys of the IPMI driver with Ironic's names, as GET /v1/drivers/ipmi/properties shows them. */
import { CIPHER_SUITE_IDS } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import { PRIVILEGE_LEVELS } from '@ingot/shared/codec/ipmi/privilege-level.ts';

const bridging = 'Not supported here: this BMC must be reached directly.';

export const IPMI_PROPERTIES = {
  ipmi_address: 'Host name or IP address of the BMC. Required.',
  ipmi_port: 'UDP port of the BMC. Default 623.',
  ipmi_username: 'User on the BMC, at most 16 bytes. Default: the null user.',
  ipmi_password: 'Password of that user, at most 20 bytes. Default: empty.',
  ipmi_priv_level: `Privilege level to work at: ${Object.keys(PRIVILEGE_LEVELS).join(', ')}. Default ADMINISTRATOR.`,
  ipmi_protocol_version: 'IPMI version: 2.0 only. Default 2.0.',
  ipmi_cipher_suite: `Cipher suite to use: ${CIPHER_SUITE_IDS.join(' or ')}. Default: each in this order until one is accepted; a BMC that has used the first is never offered the second.`,
  ipmi_hex_kg_key: "The BMC's own key (K_g), 40 hexadecimal digits. Default: the BMC has none.",
  ipmi_local_address: 'IP address of this conductor to send from. Default: as routed.',
  ipmi_force_boot_device:
    'Whether the boot device must be set before every boot because the BMC does not keep it. Default false.',
  ipmi_disable_boot_timeout:
    'Whether the BMC is told to keep a boot device longer than 60 s while no power command comes. Default true.',
  ipmi_terminal_port: 'TCP port of the serial console on this conductor; read by the console interface only.',
  ipmi_bridging: `"no", or absent. single and dual: ${bridging}`,
  ipmi_transit_channel: bridging,
  ipmi_transit_address: bridging,
  ipmi_target_channel: bridging,
  ipmi_target_address: bridging,
} as const satisfies Readonly<Record<string, string>>;

export type IpmiProperty = keyof typeof IPMI_PROPERTIES;
