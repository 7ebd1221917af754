import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, type CloudCallOptions, member, reader } from '../../../../test/fakes/compute/cloud.ts';
import { imageOf } from '../../../../test/fakes/compute/records.ts';
import {
  createTestServersApi,
  SERVERS,
  type TestServersApi,
} from '../../../../test/fakes/compute/test-servers-api.ts';

let test: TestServersApi;
let id: string;
beforeAll(async () => {
  test = await createTestServersApi();
  id = await test.running({}, { as: ANN });
});
afterAll(() => test.close());

const ANN = member('blue', 'ann');
const act = (body: unknown, options: CloudCallOptions = {}, server = id) =>
  test.call('POST', `${SERVERS}/${server}/action`, body, { as: ANN, ...options });
const now = () => test.store.compute.servers.find(id);
const last = (verb: string) => test.instances.calls.findLast(([name]) => name === verb)?.[1];

describe('POST /servers/{id}/action', () => {
  it('stops and starts, and answers without a body', async () => {
    expect(await act({ 'os-stop': null })).toMatchObject({ status: 202, body: undefined });
    expect((await now())?.vmState).toBe('stopped');
    expect((await act({ 'os-start': null })).status).toBe(202);
    expect((await now())?.vmState).toBe('active');
  });

  it('reboots softly and hard', async () => {
    expect((await act({ reboot: { type: 'Soft' } })).status).toBe(202);
    expect(last('reboot')).toBe('SOFT');
    expect((await act({ reboot: { type: 'hard' } })).status).toBe(202);
    expect(last('reboot')).toBe('HARD');
  });

  it('rescues with a password, which is in the answer', async () => {
    const { status, body } = await act({ rescue: null });
    expect([status, body]).toEqual([200, { adminPass: expect.stringMatching(/^\w{12}$/) }]);
    expect(last('rescue')).toEqual({ adminPass: body.adminPass, imageUuid: null });
    expect((await act({ unrescue: null })).status).toBe(202);
    expect((await act({ rescue: { adminPass: 'mine' } })).body).toEqual({ adminPass: 'mine' });
    await act({ unrescue: null });
  });

  it('locks with a reason from 2.73 on, and others get a 409', async () => {
    expect((await act({ lock: { locked_reason: 'x' } }, { minor: 72 })).status).toBe(202);
    expect(await now()).toMatchObject({ isLocked: true, lockedReason: null });
    expect((await act({ lock: { locked_reason: 'audit' } }, { minor: 73 })).status).toBe(202);
    expect((await now())?.lockedReason).toBe('audit');
    expect((await act({ lock: { reason: 'x' } }, { minor: 73 })).status).toBe(400);
    expect((await act({ 'os-stop': null })).body).toEqual({
      conflictingRequest: { code: 409, message: `Instance ${id} is locked` },
    });
    expect((await act({ unlock: null })).status).toBe(202);
  });

  it('rebuilds and shows the server', async () => {
    await test.store.compute.keypairs.create(
      {
        uuid: randomUUID(),
        userId: 'ann',
        name: 'k',
        type: 'ssh',
        publicKey: 'ssh-ed25519 A',
        fingerprint: 'f',
      },
      new Date(),
    );
    const image = imageOf();
    test.images.push(image);
    const asked = {
      imageRef: image.uuid,
      adminPass: 'new',
      name: 'again',
      metadata: { a: 'b' },
      description: 'd',
      key_name: 'k',
      user_data: 'QQ==',
      preserve_ephemeral: 'true',
    };
    const { status, body, headers } = await act({ rebuild: asked }, { minor: 73, as: admin });
    expect(status, JSON.stringify(body)).toBe(202);
    expect(headers['location']).toMatch(`/servers/${id}`);
    expect(body.server).toMatchObject({
      id,
      status: 'REBUILD',
      name: 'again',
      adminPass: 'new',
      key_name: 'k',
      user_data: 'QQ==',
      description: 'd',
      image: { id: image.uuid },
    });
    expect(body.server).not.toHaveProperty('OS-EXT-STS:vm_state');
    expect(last('rebuild')).toMatchObject({
      keyName: 'k',
      publicKey: 'ssh-ed25519 A',
    });
    await test.store.compute.servers.update(id, { taskState: null }, new Date());
    const plain = await act({ rebuild: { imageRef: image.uuid } });
    expect(plain.body.server).not.toHaveProperty('key_name');
    expect(plain.body.server).not.toHaveProperty('user_data');
    expect(last('rebuild')).toEqual({ imageUuid: image.uuid, adminPass: plain.body.server.adminPass });
    expect((await act({ rebuild: { imageRef: randomUUID() } })).body.badRequest.message).toBe(
      'Cannot find image for rebuild',
    );
    expect((await act({ rebuild: { imageRef: image.uuid, key_name: 'none' } }, { minor: 54 })).status).toBe(
      400,
    );
    await test.store.compute.servers.update(id, { taskState: null }, new Date());
  });

  it('shows the output and the URL of the console', async () => {
    expect((await act({ 'os-getConsoleOutput': {} })).body).toEqual({ output: 'Booting\nWelcome\nlogin:' });
    for (const length of [1, '1'])
      expect((await act({ 'os-getConsoleOutput': { length } })).body).toEqual({ output: 'login:' });
    expect((await act({ 'os-getConsoleOutput': { length: -1 } })).body.output).toContain('Booting');
    const url = expect.stringMatching(/^ws:/);
    expect((await act({ 'os-getSerialConsole': { type: 'serial' } })).body).toEqual({
      console: { type: 'serial', url },
    });
    expect((await act({ 'os-getSerialConsole': { type: 'serial' } }, { minor: 6 })).status).toBe(400);
    expect((await act({ 'os-getVNCConsole': { type: 'novnc' } })).body.badRequest.message).toContain(
      'Unavailable console type novnc',
    );

    const nowhere = (await test.create({}, { as: ANN })).body.server.id;
    expect((await act({ 'os-getConsoleOutput': {} }, {}, nowhere)).body.conflictingRequest.message).toBe(
      `Instance ${nowhere} is not ready`,
    );

    const console = (remote_console: object, minor: number) =>
      test.call('POST', `${SERVERS}/${id}/remote-consoles`, { remote_console }, { as: ANN, minor });
    const serial = { protocol: 'serial', type: 'serial' };
    expect((await console(serial, 8)).body).toEqual({ remote_console: { ...serial, url } });
    expect((await console(serial, 5)).status).toBe(404);
    expect((await console({ protocol: 'vnc', type: 'novnc' }, 8)).status).toBe(400);
    expect((await console({ protocol: 'mks', type: 'webmks' }, 7)).status).toBe(400);
  });

  it('resets states only for administrators', async () => {
    expect((await act({ 'os-resetState': { state: 'error' } })).body.forbidden.message).toBe(
      "Policy doesn't allow os_compute_api:os-admin-actions:reset_state to be performed.",
    );
    expect((await act({ 'os-resetState': { state: 'error' } }, { as: admin })).status).toBe(202);
    expect((await now())?.vmState).toBe('error');
    await act({ 'os-resetState': { state: 'active' } }, { as: admin });
    expect((await act({ 'os-resetState': { state: 'gone' } }, { as: admin })).status).toBe(400);
  });

  it('supports crash dumps from 2.17 on', async () => {
    expect((await act({ trigger_crash_dump: null }, { minor: 16 })).body.badRequest.message).toBe(
      'There is no such action: trigger_crash_dump',
    );
    expect((await act({ trigger_crash_dump: null }, { minor: 17 })).status).toBe(202);
  });

  it('also deletes by force', async () => {
    const other = await test.running({}, { as: ANN });
    expect((await act({ forceDelete: null }, {}, other)).status).toBe(202);
    expect((await act({ forceDelete: null }, {}, other)).status).toBe(404);
  });

  it.each([
    ['resize', { flavorRef: '42' }, 400, 'create another one with the other flavor'],
    ['confirmResize', null, 400, 'Instance has not been resized'],
    ['createImage', { name: 'x' }, 400, 'No image can be made of a running machine'],
    ['pause', null, 400, 'stop it instead'],
    ['os-migrateLive', {}, 400, 'stays where it is'],
    ['addSecurityGroup', { name: 'x' }, 400, 'not enforced'],
    ['changePassword', { adminPass: 'hunter2' }, 409, 'Set admin password is not supported'],
    ['restore', null, 409, 'while it is in vm_state'],
    ['fly', null, 400, 'There is no such action: fly'],
    ['__proto__', null, 400, 'not valid JSON'],
    ['constructor', null, 400, 'There is no such action: constructor'],
  ])('%s is no action for machines', async (name, value, status, text) => {
    const answer = await act({ [name]: value });
    const [error] = Object.values(answer.body) as [{ message: string }];
    expect([answer.status, error.message]).toEqual([status, expect.stringContaining(text)]);
    expect(error.message).not.toContain('hunter2');
  });

  it('is allowed for members on servers of their project, one action at a time', async () => {
    expect((await act({ 'os-stop': null }, { as: reader('blue') })).status).toBe(403);
    expect((await act({ 'os-stop': null }, { as: member('red') })).status).toBe(404);
    expect((await act({ 'os-stop': null }, {}, 'web')).body.itemNotFound.message).toBe(
      'Instance web could not be found.',
    );
    for (const body of [{}, { 'os-stop': null, 'os-start': null }, [], 'null', '"os-stop"']) {
      expect((await act(body)).status, JSON.stringify(body)).toBe(400);
    }
  });
});
