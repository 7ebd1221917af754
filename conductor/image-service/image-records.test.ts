import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  ADMIN,
  BLUE,
  IMAGE_UUID,
  type ImageParts,
  openImageParts,
  RED,
} from '../../test/fakes/compute/image-parts.ts';

let parts: ImageParts;
beforeEach(async () => {
  parts = await openImageParts();
});
afterEach(() => parts[Symbol.asyncDispose]());

const missing = { code: 'notFound', message: `No image found with ID ${IMAGE_UUID}` };

it('a new image is queued and has nothing that was not given', async () => {
  const image = await parts.records.create({
    uuid: IMAGE_UUID,
    visibility: 'shared',
    owner: 'blue',
    name: 'one',
  });
  expect(image).toMatchObject({ name: 'one', status: 'queued', diskFormat: null, tags: [], isHidden: false });
  await expect(parts.add()).rejects.toMatchObject({ code: 'conflict' });
});

it('an image that a project may not see is not found by it', async () => {
  const image = await parts.add();
  for (const tenant of [BLUE, ADMIN]) expect(await parts.records.get(IMAGE_UUID, tenant)).toEqual(image);
  await expect(parts.records.get(IMAGE_UUID, RED)).rejects.toMatchObject(missing);
  expect(await parts.records.find(IMAGE_UUID)).toEqual(image);
});

it('changes of one image run one after the other, each on what the last has left', async () => {
  await parts.add({ minRamMb: 0 });
  const increments = Array.from({ length: 5 }, () =>
    parts.records.change(IMAGE_UUID, async ({ minRamMb }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return { minRamMb: minRamMb + 1 };
    }),
  );
  expect((await Promise.all(increments)).map(({ minRamMb }) => minRamMb)).toEqual([1, 2, 3, 4, 5]);
});

it('changes of two images do not wait for each other', async () => {
  await parts.add();
  const other = await parts.add({ uuid: randomUUID() });
  const go = Promise.withResolvers<void>();
  const slow = parts.records.change(IMAGE_UUID, async () => {
    await go.promise;
    return { minRamMb: 1 };
  });
  expect((await parts.records.change(other.uuid, () => ({ minRamMb: 2 }))).minRamMb).toBe(2);
  go.resolve();
  expect((await slow).minRamMb).toBe(1);
});

it('a change that decides for nothing stores nothing, and one that fails does not hold up the next', async () => {
  const image = await parts.add();
  expect(await parts.records.change(IMAGE_UUID, () => undefined)).toEqual(image);
  const failing = parts.records.change(IMAGE_UUID, () => Promise.reject(new Error('no')));
  const next = parts.records.change(IMAGE_UUID, () => ({ name: 'next' }));
  await expect(failing).rejects.toThrow('no');
  expect((await next).name).toBe('next');
});

it('an image is deleted when its check allows, and cleaned up before another change of it', async () => {
  await parts.add();
  const refuse = () => {
    throw new Error('protected');
  };
  const log: string[] = [];
  await expect(parts.records.delete(IMAGE_UUID, refuse, async () => void log.push('no'))).rejects.toThrow(
    'protected',
  );
  const deletion = parts.records.delete(
    IMAGE_UUID,
    () => undefined,
    async () => {
      await new Promise((resolve) => setImmediate(resolve));
      log.push('cleaned up');
    },
  );
  const change = parts.records.change(IMAGE_UUID, () => ({ name: 'late' })).finally(() => log.push('change'));
  await expect(change).rejects.toMatchObject(missing);
  await deletion;
  expect(log).toEqual(['cleaned up', 'change']);
});

it('all images, or those of one status, are listed in order of creation', async () => {
  const uuids = [randomUUID(), randomUUID(), randomUUID()];
  for (const [at, uuid] of uuids.entries()) await parts.add({ uuid, status: at === 1 ? 'active' : 'queued' });
  expect((await parts.records.all()).map(({ uuid }) => uuid)).toEqual(uuids);
  expect((await parts.records.all('queued')).map(({ uuid }) => uuid)).toEqual([uuids[0], uuids[2]]);
});
