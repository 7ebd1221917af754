/** DHCP requests as different kinds of clients send them. */
import type { DhcpMessage } from '@ingot/shared/codec/dhcp/message.ts';
import { encodeAddress } from '@ingot/shared/codec/dhcp/message.ts';
import { MessageType, Option } from '@ingot/shared/codec/dhcp/options.ts';

export type OptionValue = string | readonly number[];
export type ClientOptions = Readonly<Record<number, OptionValue>>;

const MACHINE_ID = [0, ...Array.from({ length: 16 }, (_, i) => i + 1)];

/** The options that tell one kind of client from another. */
export const CLIENTS = {
  bios: { 60: 'PXEClient:Arch:00000:UNDI:002001', 93: [0, 0], 94: [1, 2, 1], 97: MACHINE_ID },
  uefi: { 60: 'PXEClient:Arch:00007:UNDI:003001', 93: [0, 7], 94: [1, 3, 1], 97: MACHINE_ID },
  uefiHttp: { 60: 'HTTPClient:Arch:00016:UNDI:003001', 93: [0, 16], 94: [1, 3, 1], 97: MACHINE_ID },
  arm: { 60: 'PXEClient:Arch:00011:UNDI:003001', 93: [0, 11], 94: [1, 3, 1], 97: MACHINE_ID },
  ipxe: { 60: 'PXEClient:Arch:00000:UNDI:002001', 77: 'iPXE', 93: [0, 0], 175: [33, 1, 1], 97: MACHINE_ID },
  system: { 12: 'machine', 55: [1, 3, 6, 15] },
} as const satisfies Record<string, ClientOptions>;

export interface RequestFields extends Partial<Omit<DhcpMessage, 'options' | 'chaddr'>> {
  readonly mac: string;
  readonly client?: ClientOptions;
  readonly options?: ClientOptions;
}

export const addressOption = (dotted: string): number[] => [...encodeAddress(dotted)];

export function dhcpRequest(
  type: keyof typeof MessageType,
  { mac, client = CLIENTS.ipxe, options = {}, ...fields }: RequestFields,
): DhcpMessage {
  const all = { [Option.messageType]: [MessageType[type]], ...client, ...options };
  const none = '0.0.0.0';
  return {
    op: 1,
    htype: 1,
    hops: 0,
    xid: 0x01020304,
    secs: 0,
    flags: 0,
    ciaddr: none,
    yiaddr: none,
    siaddr: none,
    giaddr: none,
    chaddr: Buffer.from(mac.replaceAll(':', ''), 'hex'),
    sname: '',
    file: '',
    options: new Map(
      Object.entries(all).map(([code, value]) => [
        Number(code),
        typeof value === 'string' ? Buffer.from(value, 'latin1') : Buffer.from(value),
      ]),
    ),
    ...fields,
  };
}
