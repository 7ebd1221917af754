/**
 * Our own words on the kernel command line of the ramdisk. An agent that finds the pin talks only to the conductor with
 * that key, and proves the boot secret; without it, the agent uses ironic-python-agent's protocol.
 */
export const BOOT_PARAMS = {
  /** `https://192.0.2.1:8090`, the conductor's TLS listener on the provisioning network. */
  apiUrl: 'ingot.api-url',
  /** The pin of its public key, as shared/tls/public-key-pin.ts makes it. */
  pin: 'ingot.pin',
  /** UUID of the node. */
  nodeUuid: 'ingot.node',
  /** 256 bits in base64url. */
  bootSecret: 'ingot.boot-secret',
} as const;
