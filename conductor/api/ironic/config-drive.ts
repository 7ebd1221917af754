/**
 * Checks the `configdrive` of a provision request against the API version. It is base64 of a gzipped image, a URL, or
 * an object from which the conductor builds a drive.
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import type { Verb } from '../../domain/verbs.ts';

const REBUILD_SINCE = 35;
const OBJECT_SINCE = 56;
const VENDOR_DATA_SINCE = 59;

const PARTS: Readonly<Record<string, (value: Json) => boolean>> = {
  meta_data: isJsonObject,
  network_data: isJsonObject,
  vendor_data: isJsonObject,
  user_data: (value) => value === null || typeof value === 'string' || typeof value === 'object',
};

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function checkConfigDrive(request: FastifyRequest, verb: Verb, drive: Json | undefined): void {
  if (drive === undefined || drive === null || drive === '') return;
  if (verb === 'rebuild' && request.minor < REBUILD_SINCE) {
    throw invalid('Adding a config drive is only supported when setting provision state to active');
  }
  if (typeof drive === 'string') checkText(drive);
  else if (isJsonObject(drive)) checkObject(request, drive);
  else throw invalid('Invalid configdrive format: it must be a string or an object');
}

function checkObject(request: FastifyRequest, drive: { readonly [key: string]: Json }): void {
  const since = 'vendor_data' in drive ? VENDOR_DATA_SINCE : OBJECT_SINCE;
  if (request.minor < since) {
    const what = since === OBJECT_SINCE ? 'a JSON object for configdrive' : 'vendor_data in configdrive';
    throw invalid(`Providing ${what} is only supported starting with API version 1.${since}`);
  }
  for (const [name, value] of Object.entries(drive)) {
    const fits = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (fits === undefined) {
      throw invalid(
        `Invalid configdrive format: unknown key "${name}"; known are ${Object.keys(PARTS).join(', ')}`,
      );
    }
    if (!fits(value)) throw invalid(`Invalid configdrive format: ${name} has the wrong type`);
  }
}

function checkText(drive: string): void {
  if (drive.includes('://')) return;
  if (!/^[A-Za-z0-9+/=\s]*$/.test(drive)) {
    throw invalid(
      'Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 string. Send an object {meta_data, user_data, network_data}, or base64 of a gzipped ISO 9660 or FAT image',
    );
  }
}
