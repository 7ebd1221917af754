import { decodeImageInfo } from '@ingot/shared/agent/image-info.ts';
import { expect, it } from 'vitest';
import { fakeImages } from '../../test/fakes/engine-deps.ts';
import type { StepContext } from '../domain/drivers.ts';
import { imageInfo } from './image-info.ts';

it('contains URLs on the provisioning network', () => {
  const context = {
    node: { uuid: 'n' },
    images: fakeImages,
    services: { plainUrl: 'http://192.0.2.1:8089', tlsUrl: null },
  } as StepContext;
  const info = imageInfo(context, {
    id: 'ab'.repeat(32),
    sizeBytes: 4096,
    digest: { algorithm: 'sha256', value: 'cd'.repeat(32) },
    compressed: {
      sizeBytes: 10,
      digest: { algorithm: 'sha256', value: 'ef'.repeat(32) },
    },
  });
  expect(info).toMatchObject({
    urls: ['http://192.0.2.1:8089/images/ab/raw'],
    os_hash_value: 'cd'.repeat(32),
    node_uuid: 'n',
  });
  expect(decodeImageInfo(info)).toMatchObject({
    ok: true,
    value: {
      download: { urls: ['http://192.0.2.1:8089/images/ab/zst'], rawBytes: 4096, digest: 'ef'.repeat(32) },
    },
  });
});
