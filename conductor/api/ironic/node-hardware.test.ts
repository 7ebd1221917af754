import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';

let test: TestApi;
let call: Call;
let uuid: string;
let bare: string;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.api);
  const made = (fields: object) => call('POST', '/v1/nodes', { driver: 'fake-hardware', ...fields });
  uuid = (await made({})).body.uuid;
  bare = (await made({ firmware_interface: 'no-firmware' })).body.uuid;
});
afterAll(() => test.close());

describe('firmware', () => {
  it('has an interface and components from 1.86 on', async () => {
    const at = (path: string, minor: number) => call('GET', `/v1/nodes/${uuid}${path}`, undefined, { minor });
    expect((await at('', 86)).body).toMatchObject({ firmware_interface: 'fake' });
    expect((await at('', 85)).body).not.toHaveProperty('firmware_interface');
    expect((await at('/firmware', 85)).status).toBe(404);
    expect((await at('/validate', 86)).body).toMatchObject({ firmware: { result: true } });
    expect((await at('/validate', 85)).body).not.toHaveProperty('firmware');
    const { firmware } = (await at('/firmware?fields=component,current_version', 86)).body;
    expect(Object.keys(firmware[0])).toEqual(['created_at', 'updated_at', 'component', 'current_version']);
    expect((await at('/firmware', 113)).body.firmware[0]).not.toHaveProperty('model');
    expect((await at('/firmware', 114)).body.firmware[0]).toMatchObject({ model: 'Fake BMC', vendor: null });
    expect((await at('/firmware?fields=model', 113)).status).toBe(406);
    expect((await at('/firmware?fields=colour', 86)).status).toBe(400);
    expect((await at('/firmware?fields=component&detail=true', 86)).status).toBe(400);
    expect((await call('GET', `/v1/nodes/${bare}/firmware`)).body).toEqual({ firmware: [] });
  });
});

describe('virtual media', () => {
  const vmedia = (method: string, body?: unknown, query = '', minor = 93) =>
    call(method, `/v1/nodes/${uuid}/vmedia${query}`, body, { minor });
  const attached = async () =>
    Object.fromEntries(
      (await vmedia('GET')).body.map((one: { media_types: string[]; inserted: boolean; image: string }) => {
        expect(one.inserted).toBe(one.image !== null);
        return [one.media_types[0], one.image];
      }),
    );

  it('is attached, shown and detached', async () => {
    const attach = (device_type: string) =>
      vmedia('POST', { device_type, image_url: `http://files.example/${device_type}.iso` });
    for (const device of ['cdrom', 'floppy', 'disk']) expect((await attach(device)).status).toBe(204);
    const image = (device: string) => `http://files.example/${device}.iso`;
    expect(await attached()).toEqual({
      CD: image('cdrom'),
      Floppy: image('floppy'),
      USBStick: image('disk'),
    });
    expect((await vmedia('DELETE', undefined, '?device_types=cdrom,floppy')).status).toBe(204);
    expect(await attached()).toEqual({ CD: null, Floppy: null, USBStick: image('disk') });
    expect((await vmedia('DELETE')).status).toBe(204);
    expect(await attached()).toEqual({ CD: null, Floppy: null, USBStick: null });
  });

  it.each<[string, object, string]>([
    ['another device', { device_type: 'tape' }, 'device_type'],
    ['a local file', { image_url: 'file:///etc/passwd' }, 'schemes http, https'],
    ['no URL', { image_url: 'x' }, 'image_url must be a URL'],
    ['a password', { image_url: 'http://u:p@files.example/x.iso' }, 'may not hold a name or password'],
    ['an unknown source', { image_download_source: 'tape' }, 'image_download_source'],
  ])('refuses %s', async (_, fields, text) => {
    const body = { device_type: 'cdrom', image_url: 'http://files.example/x.iso', ...fields };
    const answer = await vmedia('POST', body);
    expect(answer).toMatchObject({ status: 400, error: expect.stringContaining(text) });
    expect(answer.error).not.toContain('u:p');
  });

  it('needs its microversion and a driver that supports it', async () => {
    const body = { device_type: 'cdrom', image_url: 'http://files.example/x.iso' };
    expect((await vmedia('POST', body, '', 88)).status).toBe(404);
    expect((await vmedia('GET', undefined, '', 92)).status).toBe(404);
    expect((await vmedia('DELETE', undefined, '?device_types=tape')).status).toBe(400);
    await call('PATCH', `/v1/nodes/${uuid}`, [
      { op: 'replace', path: '/driver_info', value: { fake_fail: ['management.attach_virtual_media'] } },
    ]);
    expect((await vmedia('POST', body)).error).toContain('fake_fail');
  });
});

describe('a node that must stay on', () => {
  const power = (node: string, target: string) => call('PUT', `/v1/nodes/${node}/states/power`, { target });
  const stay = (node: string, value: unknown, minor?: number) =>
    call(
      'PATCH',
      `/v1/nodes/${node}`,
      [{ op: 'replace', path: '/disable_power_off', value }],
      minor === undefined ? {} : { minor },
    );

  it('is rebooted and never powered off, from 1.95 on', async () => {
    expect((await stay(bare, true, 94)).error).toContain('1.95');
    expect((await stay(bare, 'yes')).body).toMatchObject({ disable_power_off: true });
    for (const target of ['power off', 'soft power off']) {
      expect(await power(bare, target)).toMatchObject({
        status: 409,
        error: expect.stringContaining('disable_power_off'),
      });
    }
    expect((await power(bare, 'rebooting')).status).toBe(202);
    expect((await call('GET', `/v1/nodes/${bare}`, undefined, { minor: 94 })).body).not.toHaveProperty(
      'disable_power_off',
    );
  });
});
