/**
 * Get Device ID (IPMI 2.0 section 20.1): manufacturer, product and firmware version of the BMC.
 *
 *   response  | device id | 7 SDRs, 3:0 revision | 7 updating, 6:0 firmware major | firmware minor, BCD
 *             | IPMI version, BCD, low digit first | support | manufacturer, 3 LE | product, 2 LE | auxiliary, 4? |
 */
import { type Command, ignoreBytes, NetFn, type Nothing, noBytes } from './command.ts';
import { good, short } from './decoded.ts';

export interface DeviceId {
  readonly deviceId: number;
  readonly deviceRevision: number;
  readonly providesSdrs: boolean;
  /** The device is initialising or updates its firmware. */
  readonly updating: boolean;
  /** Major decimal, minor two BCD digits: `9.08`. */
  readonly firmwareVersion: string;
  /** `2.0` */
  readonly ipmiVersion: string;
  /** Bit 7 chassis device, 6 bridge, 5 and 4 IPMB event generator and receiver, 3 FRU, 2 SEL, 1 SDR repository, 0 sensors. */
  readonly support: number;
  /** IANA enterprise number. */
  readonly manufacturerId: number;
  readonly productId: number;
}

const RESPONSE_BYTES = 11;

export const getDeviceId: Command<Nothing, DeviceId> = {
  name: 'Get Device ID',
  netFn: NetFn.app,
  code: 0x01,
  encodeRequest: noBytes,
  decodeRequest: ignoreBytes,
  encodeResponse: (id) => {
    const [major = '0', minor = '0'] = id.firmwareVersion.split('.');
    const [ipmiMajor, ipmiMinor] = id.ipmiVersion.split('.').map(Number) as [number, number];
    const data = Buffer.alloc(RESPONSE_BYTES);
    data[0] = id.deviceId;
    data[1] = (id.providesSdrs ? 0x80 : 0) | (id.deviceRevision & 0x0f);
    data[2] = (id.updating ? 0x80 : 0) | (Number(major) & 0x7f);
    data[3] = Number.parseInt(minor, 16);
    data[4] = (ipmiMinor << 4) | ipmiMajor;
    data[5] = id.support;
    data.writeUIntLE(id.manufacturerId, 6, 3);
    data.writeUInt16LE(id.productId, 9);
    return data;
  },
  decodeResponse: (data) => {
    if (data.length < RESPONSE_BYTES) return short('response', RESPONSE_BYTES, data.length);
    return good({
      deviceId: data[0]!,
      deviceRevision: data[1]! & 0x0f,
      providesSdrs: (data[1]! & 0x80) !== 0,
      updating: (data[2]! & 0x80) !== 0,
      firmwareVersion: `${data[2]! & 0x7f}.${data[3]!.toString(16).padStart(2, '0')}`,
      ipmiVersion: `${data[4]! & 0x0f}.${data[4]! >> 4}`,
      support: data[5]!,
      manufacturerId: data.readUIntLE(6, 3) & 0x0fffff,
      productId: data.readUInt16LE(9),
    });
  },
};
