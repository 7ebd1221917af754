/**
 * Reads the bodies for images: a new image, or a JSON patch. Pure.
 */
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { Image } from '../../domain/compute.ts';
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import { type PatchOperation, parsePatch, segmentsOf } from '../../domain/json-patch.ts';
import type { Tenant } from '../../identity/tenant.ts';
import { checkMayOwn, checkMayPublish } from '../../image-service/image-access.ts';
import type { ImagePatch, NewImage } from '../../image-service/image-records.ts';
import { NOT_KEPT, OWN_PREFIX, READ_ONLY, WRITABLE } from './image-fields.ts';
import { placeOf } from './image-readers.ts';

const MAX_PROPERTIES = 128;
const MAX_TAGS = 128;
const MAX_NAME = 255;
const MAX_VALUE = 65_535;

const invalid = (what: string): IngotError => new IngotError('invalidParameter', what);
const forbidden = (what: string): IngotError => new IngotError('forbidden', what);

/** `body` of POST /v2/images. Throws invalidParameter, forbidden, tooLarge. */
export function parseNewImage(body: unknown, tenant: Tenant, newUuid: () => string): NewImage {
  if (!isJsonObject(body)) throw invalid('The body must be a JSON object with the fields of the image.');
  const { id = newUuid(), ...rest } = body;
  if (typeof id !== 'string' || !isUuid(id)) throw invalid('Invalid image object: id must be a UUID.');
  let image: NewImage = { uuid: id.toLowerCase(), visibility: 'shared', owner: tenant.projectId };
  for (const [name, value] of Object.entries(rest)) image = { ...image, ...setField(name, value, image) };
  checkWhole(image, tenant);
  return image;
}

/** The changes by PATCH /v2/images/{id}. Throws invalidParameter, forbidden, conflict, tooLarge. */
export function patchOf(body: unknown, image: Image, tenant: Tenant): ImagePatch {
  const operations = parsePatch(body);
  if (!operations.ok) throw invalid(`Invalid patch: ${operations.reason}.`);
  let patch: ImagePatch = {};
  for (const operation of operations.value) {
    patch = { ...patch, ...applied(operation, { ...image, ...patch }, image) };
  }
  checkWhole(patch, tenant);
  return patch;
}

/** Checks what depends on several fields of the body, in any order. */
function checkWhole({ visibility, owner, tags = [], properties = {} }: ImagePatch, tenant: Tenant): void {
  checkMayPublish(tenant, visibility);
  checkMayOwn(tenant, owner);
  if (tags.length > MAX_TAGS) throw new IngotError('tooLarge', `An image may have ${MAX_TAGS} tags.`);
  if (Object.keys(properties).length > MAX_PROPERTIES)
    throw new IngotError('tooLarge', `An image may have ${MAX_PROPERTIES} properties.`);
}

function checkName(name: string): void {
  if (Object.hasOwn(READ_ONLY, name)) throw forbidden(`Attribute '${name}' is read-only.`);
  if (NOT_KEPT.has(name)) throw forbidden(`Attribute '${name}' is reserved: it is not supported here.`);
  if (name.startsWith(OWN_PREFIX))
    throw forbidden(
      `Attribute '${name.slice(0, MAX_NAME)}' is reserved: names that begin with ${OWN_PREFIX} are.`,
    );
  // Rejects control characters, and names that every JavaScript object has.
  if (name === '' || name.length > MAX_NAME || /[\p{Cc}\p{Cs}]/u.test(name) || name === '__proto__')
    throw invalid(
      `The name of a property must have 1 to ${MAX_NAME} characters, none of them a control character.`,
    );
}

/** Sets a field or a property. */
function setField(name: string, value: Json, image: ImagePatch): ImagePatch {
  const field = Object.hasOwn(WRITABLE, name) ? WRITABLE[name] : undefined;
  if (field !== undefined) {
    const read = field.value.read(value, placeOf(name));
    return { [field.key]: Array.isArray(read) ? [...new Set(read)] : read };
  }
  checkName(name);
  if (typeof value !== 'string' || value.length > MAX_VALUE || !value.isWellFormed())
    throw invalid(
      `Invalid image object: the property ${name} must be a string of ${MAX_VALUE} characters at most.`,
    );
  return { properties: { ...image.properties, [name]: value } };
}

/** `now`: the image after the previous operations; `stored`: before all of them. */
function applied(operation: PatchOperation, now: Image, stored: Image): ImagePatch {
  const [name = '', ...deeper] = segmentsOf(operation.path);
  if (name === 'tags' && deeper.join() === '-' && operation.op === 'add')
    return setField('tags', [...now.tags, operation.value], now);
  if (deeper.length > 0)
    throw invalid(
      `Invalid JSON pointer for this resource: '${operation.path}'. Fields of images have no parts.`,
    );
  const field = Object.hasOwn(WRITABLE, name) ? WRITABLE[name] : undefined;
  if (operation.op === 'remove') {
    if (field !== undefined) throw forbidden(`Property ${name} may not be removed.`);
    checkName(name);
    checkExists(name, now);
    const { [name]: _removed, ...properties } = now.properties;
    return { properties };
  }
  if (field?.untilData === true && stored.status !== 'queued' && now[field.key] !== operation.value)
    throw forbidden(`Attribute ${name} can be only replaced for a queued image.`);
  if (field === undefined && operation.op === 'replace') {
    checkName(name);
    checkExists(name, now);
  }
  return setField(name, operation.value, now);
}

function checkExists(name: string, image: Image): void {
  if (!Object.hasOwn(image.properties, name))
    throw new IngotError('conflict', `Property ${name} does not exist.`);
}
