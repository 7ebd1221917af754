/**
 * The action rebuild: keeps machine and addresses, and writes the disk again. Answers with the server.
 */
import { IngotError } from '../../../domain/errors.ts';
import type { RebuildRequest } from '../../../servers/server-request.ts';
import { nullable, object, optional, since, until } from '../../kit/readers.ts';
import { itemLinks } from '../links.ts';
import { boolean, named, printable, uuid } from '../request.ts';
import { generatePassword } from './admin-password.ts';
import { findKeypair, findUsableImage, keyOf } from './named-things.ts';
import { type ActionContext, serverAction } from './server-action.ts';
import { showServer } from './server-answer.ts';
import {
  ACCESS_FIELDS,
  accessOf,
  adminPass,
  diskConfig,
  metadata,
  noCertificates,
  personality,
  userData,
} from './server-readers.ts';

const value = object({
  imageRef: uuid,
  name: optional(named()),
  adminPass: optional(adminPass),
  metadata: optional(metadata),
  // without effect: images are written as whole disks
  preserve_ephemeral: optional(boolean),
  'OS-DCF:diskConfig': optional(diskConfig),
  ...ACCESS_FIELDS,
  personality: until(56, optional(personality)),
  description: since(19, optional(nullable(printable(255)))),
  key_name: since(54, optional(nullable(named()))),
  user_data: since(57, optional(nullable(userData))),
  trusted_image_certificates: since(63, optional(noCertificates)),
});
type Asked = typeof value extends { read(...args: never): infer T } ? T : never;

export const REBUILD = serverAction<Asked>('rebuild', {
  value,
  async run(context) {
    const { server, by, request, reply, deps } = context;
    const wanted = await parseRebuild(context);
    const rebuilding = await deps.instances.rebuild(server, wanted, by);
    const shown = await showServer(rebuilding, 'rebuild', request, deps);
    const [self] = itemLinks(request, deps.settings.publicEndpoint, `servers/${server.uuid}`);
    reply.header('Location', self?.href);
    return { server: { ...shown, adminPass: wanted.adminPass } };
  },
});

/** A key pair must belong to the server's owner, whoever the caller is. Throws invalidParameter. */
async function parseRebuild({ server, asked, by, deps }: ActionContext<Asked>): Promise<RebuildRequest> {
  if ((await deps.images.find(asked.imageRef, by.tenant)) === undefined) {
    throw new IngotError('invalidParameter', 'Cannot find image for rebuild');
  }
  const image = await findUsableImage(asked.imageRef, server.flavor, by.tenant, deps);
  const owner = { ...by.tenant, userId: server.userId };
  const { key_name: key, name, description, personality: files } = asked;
  return {
    imageUuid: image.uuid,
    adminPass: asked.adminPass ?? generatePassword(),
    ...accessOf(asked),
    ...(name === undefined ? {} : { name }),
    ...(asked.metadata === undefined ? {} : { metadata: asked.metadata }),
    ...(description === undefined ? {} : { description }),
    ...(asked.user_data === undefined ? {} : { userData: asked.user_data }),
    ...(key === undefined ? {} : keyOf(key === null ? null : await findKeypair(key, owner, deps))),
    ...(files === undefined ? {} : { personality: files }),
  };
}
