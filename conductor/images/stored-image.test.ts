/** Image sources in the conductor's own image service. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawDisk } from '../../test/fakes/image-files.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import { IngotError } from '../domain/errors.ts';
import { type StoredImages, storedImageId } from '../domain/images.ts';
import { fetchImage } from './fetch.ts';
import { checkRequest } from './request-check.ts';
import { completeFromStored } from './stored-image.ts';

const uuid = randomUUID();
const source = `glance://${uuid}`;
const digest = {
  algorithm: 'sha512',
  value: createHash('sha512').update(rawDisk()).digest('hex'),
} as const;

let dir: string;
let stored: StoredImages;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-stored-image-'));
  await writeFile(join(dir, uuid), rawDisk());
  stored = {
    async locate(id) {
      if (id !== uuid) throw new IngotError('imageFailure', `there is no image ${id}`);
      return { path: join(dir, id), digest, diskFormat: 'raw' };
    },
  };
});
afterAll(() => rm(dir, { recursive: true }));

const fetchFrom = (from: string, value: string, images: StoredImages | undefined = stored) =>
  fetchImage(
    { source: from, digest: { ...digest, value } },
    join(dir, 'copy'),
    {
      outbound: loopbackOutbound,
      allowed: [],
      stored: images,
      maxBytes: 2_000_000,
      stallMs: 1_000,
      limitMs: 5_000,
    },
    { signal: AbortSignal.timeout(5_000) },
  );

it('are glance URLs and bare UUIDs', () => {
  expect([source, uuid, uuid.toUpperCase()].map(storedImageId)).toEqual([uuid, uuid, uuid]);
  for (const other of [`glance://${uuid}/x`, 'glance://web', `http://h/${uuid}`, 'web', ''])
    expect(storedImageId(other)).toBeUndefined();
});

describe('a request', () => {
  it('needs no digest, because the image service knows it', async () => {
    for (const given of [source, uuid]) {
      expect(() =>
        checkRequest({ source: given }, { fileAllow: [], stored, refusal: () => undefined }),
      ).not.toThrow();
      expect(await completeFromStored({ source: given }, stored)).toEqual({
        source,
        digest,
        diskFormat: 'raw',
      });
    }
  });

  it('keeps its own digest and format, and with both the image may be deleted', async () => {
    const request = { source: randomUUID(), digest: { ...digest, value: 'ab' }, diskFormat: 'qcow2' };
    expect(await completeFromStored(request, stored)).toEqual({
      ...request,
      source: `glance://${request.source}`,
    });
    const half = { source, digest: request.digest };
    expect(await completeFromStored(half, stored)).toEqual({ ...half, diskFormat: 'raw' });
  });

  it('is rejected without an image service', async () => {
    for (const [given, is] of [
      [uuid, 'not a URL'],
      [source, 'a URL of scheme "glance"'],
    ])
      expect(() => checkRequest({ source: given! }, { fileAllow: [], refusal: () => undefined })).toThrow(
        `instance_info/image_source: it must be an http, https or file URL, and is ${is}. Give the whole URL`,
      );
    expect(await completeFromStored({ source: uuid }, undefined)).toEqual({ source: uuid });
  });

  it('names a missing image', async () => {
    const other = randomUUID();
    await expect(completeFromStored({ source: other }, stored)).rejects.toThrow(`no image ${other}`);
  });
});

describe('its data', () => {
  it('is read in place, and its digest is checked', async () => {
    expect(await fetchFrom(source, digest.value)).toEqual({ bytes: rawDisk().length, digest });
    await expect(fetchFrom(source, 'ab'.repeat(64))).rejects.toThrow('the sha512 digest does not match');
  });

  it('reports a lost file', async () => {
    const lost: StoredImages = {
      locate: async () => ({ path: join(dir, 'lost'), digest, diskFormat: null }),
    };
    await expect(fetchFrom(source, digest.value, lost)).rejects.toThrow(
      `instance_info/image_source: image ${uuid}: its data cannot be read (ENOENT)`,
    );
  });
});

it('a request for another source is left as it is', async () => {
  const request = { source: 'http://images.test/disk' };
  expect(await completeFromStored(request, stored)).toBe(request);
  expect(await completeFromStored({ source }, undefined)).toEqual({ source });
});
