import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../domain/json.ts';
import type { Verb } from '../../domain/verbs.ts';
import { checkConfigDrive } from './config-drive.ts';

const check = (drive: Json | undefined, minor = 59, verb: Verb = 'active') =>
  checkConfigDrive({ minor } as FastifyRequest, verb, drive);

describe('the config drive of a request', () => {
  it.each<[Json | undefined, number, Verb]>([
    [undefined, 1, 'rebuild'],
    [null, 1, 'active'],
    ['', 1, 'active'],
    ['H4sIAAAA', 1, 'active'],
    ['https://h/drive', 1, 'active'],
    ['H4sIAAAA', 35, 'rebuild'],
    [{ meta_data: {}, network_data: {}, user_data: 'x' }, 56, 'active'],
    [{ user_data: null }, 56, 'active'],
    [{ vendor_data: {} }, 59, 'active'],
  ])('may be %j at 1.%i for %s', (drive, minor, verb) => {
    expect(() => check(drive, minor, verb)).not.toThrow();
  });

  it.each<[Json, number, Verb, string]>([
    ['H4sIAAAA', 34, 'rebuild', 'only supported when setting provision state to active'],
    ['{not base64}', 59, 'active', 'it is neither a JSON, nor a URL, nor a base64 string'],
    [5, 59, 'active', 'it must be a string or an object'],
    [
      { meta_data: {} },
      55,
      'active',
      'a JSON object for configdrive is only supported starting with API version 1.56',
    ],
    [
      { vendor_data: {} },
      58,
      'active',
      'vendor_data in configdrive is only supported starting with API version 1.59',
    ],
    [{ colour: 'red' }, 59, 'active', 'unknown key "colour"; known are meta_data'],
    [{ meta_data: [] }, 59, 'active', 'meta_data has the wrong type'],
    [{ user_data: 5 }, 59, 'active', 'user_data has the wrong type'],
  ])('may not be %j at 1.%i for %s', (drive, minor, verb, text) => {
    expect(() => check(drive, minor, verb)).toThrow(text);
  });
});
