/** What servers and nodes learn about images. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin } from '../../test/fakes/compute/cloud.ts';
import {
  createTestImageService,
  type TestImageService,
} from '../../test/fakes/compute/test-image-service.ts';
import { rawDisk } from '../../test/fakes/image-files.ts';
import type { ImageRequest } from '../domain/images.ts';
import type { Caller } from '../domain/policy.ts';
import type { Tenant } from '../identity/tenant.ts';

const blue: Tenant = { projectId: 'blue', userId: 'b', isAdmin: false, isMember: true };
const red: Tenant = { ...blue, projectId: 'red' };

let test: TestImageService;
const asked: ImageRequest[] = [];
beforeAll(async () => {
  test = await createTestImageService({
    prepared: async (requests) => {
      asked.push(...requests);
      return requests.slice(0, 1);
    },
  });
});
afterAll(() => test.close());

async function activeImage(fields: object = {}) {
  const uuid = await test.create(fields);
  await test.upload(uuid, rawDisk());
  return (await test.library.find(uuid, blue))!;
}

describe('an image', () => {
  it('is found by those who may see it', async () => {
    const { uuid } = await activeImage();
    expect(await test.library.find(uuid, red)).toBeUndefined();
    expect(await test.library.find(randomUUID(), blue)).toBeUndefined();
  });

  it('may be named in a node by callers who may see it and by callers with system scope', async () => {
    const { uuid } = await activeImage();
    const asked = (scope: Caller['scope'], role: Caller['role'] = 'member') =>
      test.library.sees(uuid, { user: 'ann', scope, role, service: false });
    expect(await asked({ kind: 'project', id: 'blue' })).toBe(true);
    expect(await asked({ kind: 'project', id: 'red' })).toBe(false);
    expect(await asked({ kind: 'system' })).toBe(true);
    const operator: Caller = { ...admin, scope: { kind: 'system' } };
    expect(await test.library.sees(randomUUID(), operator)).toBe(false);
  });

  it('makes an instance_info that the image cache understands', async () => {
    const image = await activeImage();
    expect(await test.library.instanceInfoOf(image)).toEqual({
      image_source: image.uuid,
      image_os_hash_algo: 'sha512',
      image_os_hash_value: image.osHashValue,
      image_disk_format: 'raw',
    });
    expect(await test.library.stored.locate(image.uuid)).toEqual({
      path: test.library.files.path(image.uuid),
      digest: { algorithm: 'sha512', value: image.osHashValue },
      diskFormat: 'raw',
    });
  });

  it('counts as cached when the image cache has its deployable form', async () => {
    const cached = await test.library.cached();
    expect([...cached]).toEqual([asked[0]?.source]);
    const image = await test.library.find(asked[0]!.source, blue);
    expect(asked[0]).toEqual({
      source: image?.uuid,
      digest: { algorithm: 'sha512', value: image?.osHashValue },
      diskFormat: 'raw',
    });
  });

  it.each([
    [{ disk_format: 'ari' }, 'has the disk_format ari'],
    [{ kernel_id: randomUUID() }, 'is a partition image (it has kernel_id)'],
  ])('with %j can not be deployed', async (fields, text) => {
    const image = await activeImage(fields);
    await expect(test.library.instanceInfoOf(image)).rejects.toThrow(text);
  });

  it('without data can not be deployed', async () => {
    const uuid = await test.create();
    const image = (await test.library.find(uuid, blue))!;
    await expect(test.library.instanceInfoOf(image)).rejects.toThrow('is not active but queued');
    await expect(test.library.stored.locate(uuid)).rejects.toThrow('is not active but queued');
    await expect(test.library.stored.locate(randomUUID())).rejects.toThrow('openstack image list');
  });
});
