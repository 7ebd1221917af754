import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestCloud, member, type TestCloud } from '../../../../test/fakes/compute/cloud.ts';
import { novaService } from '../nova-service.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await createTestCloud([novaService]);
});
afterAll(() => cloud.close());

const PATH = '/compute/v2.1/os-keypairs';
const anna = member('red', 'anna');
/** Made by ssh-keygen, which gave its fingerprints too. */
const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAlzXj8GlLuQusI4KyiMbtu/DXkxXpF753lTCOdtKpWm anna@desk';
const ED25519_MD5 = '62:bd:34:d1:a1:f4:f4:62:b0:09:97:ee:ba:18:78:98';

const create = (keypair: object, minor = 10, as = anna) =>
  cloud.call('POST', PATH, { keypair }, { minor, as });

describe('key pairs', () => {
  it('are imported, shown by microversion, and deleted', async () => {
    const made = await create({ name: 'desk', public_key: ED25519 });
    const shown = { name: 'desk', public_key: ED25519, fingerprint: ED25519_MD5 };
    expect([made.status, made.body.keypair]).toEqual([201, { ...shown, type: 'ssh', user_id: 'anna' }]);
    const at = (minor: number, path = '') => cloud.call('GET', PATH + path, undefined, { minor, as: anna });
    expect((await at(1)).body).toEqual({ keypairs: [{ keypair: shown }] });
    expect((await at(2)).body).toEqual({ keypairs: [{ keypair: { ...shown, type: 'ssh' } }] });
    expect((await at(2, '/desk')).body.keypair).toEqual({
      ...shown,
      type: 'ssh',
      user_id: 'anna',
      id: expect.any(Number),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
      updated_at: null,
      deleted: false,
      deleted_at: null,
    });
    const again = await create({ name: 'desk', public_key: ED25519 });
    expect(again.body.conflictingRequest.message).toBe("Key pair 'desk' already exists.");
    expect((await cloud.call('DELETE', `${PATH}/desk`, undefined, { as: anna })).status).toBe(202);
    const gone = await cloud.call('DELETE', `${PATH}/desk`, undefined, { as: anna, minor: 2 });
    expect(gone.body.itemNotFound.message).toBe('Keypair desk not found for user anna');
  });

  it('are made once: the private half is never kept', async () => {
    const { status, body } = await create({ name: 'new' }, 1);
    expect(status).toBe(200);
    expect(body.keypair.private_key).toContain('OPENSSH PRIVATE KEY');
    const shown = await cloud.call('GET', `${PATH}/new`, undefined, { as: anna });
    expect(JSON.stringify([shown.body, await cloud.store.compute.keypairs.find('new')])).not.toContain(
      'PRIVATE',
    );
  });

  it('of others are for administrators, from 2.10 on', async () => {
    await create({ name: 'hers', public_key: ED25519 });
    const ask = (minor: number, as?: typeof anna) =>
      cloud.call('GET', `${PATH}/hers?user_id=anna`, undefined, as ? { minor, as } : { minor });
    expect((await ask(10)).status).toBe(200);
    expect((await ask(9)).status).toBe(404);
    expect((await ask(10, member('red', 'bert'))).body.forbidden.code).toBe(403);
    const forHer = await create({ name: 'given', public_key: ED25519, user_id: 'anna' }, 10, {
      ...anna,
      user: 'root',
      role: 'admin',
    });
    expect(forHer.body.keypair.user_id).toBe('anna');
  });

  it('come in pages from 2.35 on', async () => {
    for (const name of ['p1', 'p2', 'p3'])
      await create({ name, public_key: ED25519 }, 10, member('x', 'pia'));
    const ask = (query: string, minor: number) =>
      cloud.call('GET', PATH + query, undefined, { minor, as: member('x', 'pia') });
    expect((await ask('?limit=1', 34)).body.keypairs).toHaveLength(3);
    const { body } = await ask('?limit=1&marker=p1', 35);
    expect(body.keypairs[0].keypair.name).toBe('p2');
    expect(body.keypairs_links[0].href).toMatch(/limit=1&marker=p2$/);
    expect((await ask('?marker=p9', 35)).status).toBe(400);
  });

  it.each([
    [{ name: 'a/b' }, 1, 'Only expected characters'],
    [{ name: 'ü' }, 1, 'Only expected characters'],
    [{ name: 'x', type: 'ssh' }, 1, "'type' was unexpected"],
    [{ name: 'x', user_id: 'anna' }, 9, "'user_id' was unexpected"],
    [{ name: 'x', type: 'pgp' }, 2, "'pgp' is not one of ['ssh', 'x509']"],
    [{ name: 'x', type: 'x509' }, 2, 'certificates are not made here'],
    [{ name: 'x', type: 'x509', public_key: ED25519 }, 2, 'not one certificate in PEM'],
    [{ name: 'x', public_key: 'ssh-rsa' }, 2, 'Keypair data is invalid'],
    [{ name: 'x', public_key: 7 }, 2, "7 is not of type 'string'"],
    [{ public_key: ED25519 }, 2, "'name' is a required property"],
  ])('%o at 2.%i is refused', async (keypair, minor, reason) => {
    const { status, body } = await create(keypair, minor);
    expect([status, body.badRequest?.message]).toEqual([400, expect.stringContaining(reason)]);
  });
});
