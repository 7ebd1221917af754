import { expect, it } from 'vitest';
import type { Image } from '../../domain/compute.ts';
import { imageSchema, READ_ONLY, showImage, timeText, WRITABLE, writableSchemas } from './image-fields.ts';

const IMAGE = {
  ...{ uuid: 'i1', name: 'web', status: 'active', visibility: 'private', owner: 'red', tags: ['a'] },
  ...{
    isProtected: false,
    isHidden: false,
    diskFormat: 'raw',
    containerFormat: 'bare',
    minDiskGb: 1,
    minRamMb: 2,
  },
  ...{
    sizeBytes: 5,
    virtualSizeBytes: 6,
    checksum: 'c',
    osHashAlgo: 'sha512',
    osHashValue: 'h',
    importError: null,
  },
  ...{ createdAt: new Date('2026-01-01T00:00:00.999Z'), updatedAt: null, properties: { os: 'linux' } },
} as unknown as Image;

it('an image is shown with every field of its schema, and its properties beside them', () => {
  const { os, ...fields } = showImage(IMAGE);
  expect(os).toBe('linux');
  expect(Object.keys(fields).toSorted()).toEqual(Object.keys(imageSchema.properties).toSorted());
  expect(fields).toMatchObject({ id: 'i1', min_disk: 1, os_hidden: false, file: '/v2/images/i1/file' });
});

it('times are whole seconds; an image that was never changed has the time of its creation', () => {
  expect(timeText(IMAGE.createdAt)).toBe('2026-01-01T00:00:00Z');
  expect(showImage(IMAGE)['updated_at']).toBe('2026-01-01T00:00:00Z');
});

it('a property never hides a field', () => {
  const sly = { ...IMAGE, properties: { status: 'queued', os_glance_import_error: 'x' } } as unknown as Image;
  expect(showImage(sly)['status']).toBe('active');
  expect(showImage({ ...sly, importError: 'gone' })['os_glance_import_error']).toBe('gone');
});

it('a field is written or only read', () => {
  expect(Object.keys(WRITABLE).filter((name) => Object.hasOwn(READ_ONLY, name))).toEqual([]);
  expect(writableSchemas['min_disk']).toMatchObject({ type: 'integer', minimum: 0 });
  expect(imageSchema.properties).toMatchObject({ id: { readOnly: true } });
});
