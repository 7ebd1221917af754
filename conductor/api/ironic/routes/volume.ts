/**
 * `/v1/volume/connectors`, `/v1/volume/targets` and the same under a node. API 1.32.
 * They can be changed and deleted only while the node is powered off, because volumes are connected at power-on.
 */
import { randomUUID } from 'node:crypto';
import {
  VOLUME_CONNECTOR_FIELDS,
  VOLUME_CONNECTOR_LIST_FIELDS,
  VOLUME_TARGET_FIELDS,
  VOLUME_TARGET_LIST_FIELDS,
} from '@ingot/shared/ironic/resource-fields.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import type {
  NewRecord,
  Recorded,
  RecordPatch,
  VolumeConnector,
  VolumeTarget,
} from '../../../domain/resources.ts';
import type { RecordStore } from '../../../domain/store/records.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import type { Collection } from '../../kit/collection.ts';
import { selfAndBookmark } from '../../kit/links.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps } from '../deps.ts';
import { findNode, nodeOf, ownerNode } from '../node-lookup.ts';

const SINCE = 32;
const FILTERS = { node: { kind: 'text' } } as const;
const INDEX_CONFIG = { since: SINCE, doc: { summary: 'Links to connectors and targets' } };
const KINDS = ['connectors', 'targets'] as const;

export function registerVolume(app: App, deps: ApiDeps): void {
  const { store, config } = deps;

  const index = (request: FastifyRequest, path: string) => {
    const base = baseUrlOf(request, config.publicEndpoint);
    return {
      links: selfAndBookmark(base, `${path}/`),
      ...Object.fromEntries(KINDS.map((kind) => [kind, selfAndBookmark(base, `${path}/${kind}`)])),
    };
  };
  app.get('/v1/volume', { config: INDEX_CONFIG }, async (request) => index(request, 'volume'));
  app.get('/v1/nodes/:node/volume', { config: INDEX_CONFIG }, async (request) =>
    index(request, `nodes/${(await nodeOf(store.nodes, request)).uuid}/volume`),
  );

  registerKind<VolumeConnector>(app, deps, store.volumeConnectors, {
    key: 'connectors',
    singular: 'volume connector',
    fields: VOLUME_CONNECTOR_FIELDS,
    listFields: VOLUME_CONNECTOR_LIST_FIELDS,
    required: ['node_uuid', 'type', 'connector_id'],
  });
  registerKind<VolumeTarget>(app, deps, store.volumeTargets, {
    key: 'targets',
    singular: 'volume target',
    fields: VOLUME_TARGET_FIELDS,
    listFields: VOLUME_TARGET_LIST_FIELDS,
    required: ['node_uuid', 'volume_type', 'volume_id', 'boot_index'],
  });
}

type Kind<T extends Recorded> = Pick<
  Collection<T, typeof FILTERS>,
  'key' | 'singular' | 'fields' | 'listFields' | 'required'
>;

function registerKind<T extends VolumeConnector | VolumeTarget>(
  app: App,
  { engine, store, now, ...more }: ApiDeps,
  records: RecordStore<T>,
  kind: Kind<T>,
): void {
  /** Locks the node and runs `work`. Throws invalidState if the node is powered on. */
  const whileOff = <R>(nodeUuid: string, purpose: string, work: () => Promise<R>): Promise<R> =>
    engine.withNode(nodeUuid, purpose, async (node) => {
      if (node.powerState === 'power on') {
        throw new IngotError(
          'invalidState',
          `Node ${nodeUuid} is powered on: a ${kind.singular} changes only while it is powered off. Power it off first.`,
        );
      }
      return work();
    });

  const collection = registerCollection<T, typeof FILTERS>(
    app,
    { engine, store, now, ...more },
    {
      ...kind,
      path: `volume/${kind.key}`,
      since: SINCE,
      hidesPath: true,
      hasDetailPath: false,
      detailSince: SINCE,
      filters: FILTERS,
      store: records,

      filterOf: async ({ node }, request) =>
        (node === undefined
          ? {}
          : { nodeUuid: (await findNode(store.nodes, request, node)).uuid }) as Partial<T>,

      async create(values) {
        const nodeUuid = await ownerNode(store.nodes, values['nodeUuid']);
        const uuid = (values['uuid'] as string | undefined) ?? randomUUID();
        // A new record is allowed while the node is powered on, because nothing uses it before the next boot.
        return engine.withNode(nodeUuid, `create ${kind.singular}`, () =>
          records.create({ ...values, uuid, nodeUuid } as unknown as NewRecord<T>, now()),
        );
      },

      async update({ uuid, nodeUuid }, values) {
        if (values['nodeUuid'] !== undefined) await ownerNode(store.nodes, values['nodeUuid']);
        return whileOff(nodeUuid, `update ${kind.singular}`, () =>
          records.update(uuid, values as unknown as RecordPatch<T>, now()),
        );
      },

      remove: ({ uuid, nodeUuid }) =>
        whileOff(nodeUuid, `delete ${kind.singular}`, () => records.delete(uuid)),
    },
  );

  collection.listUnder(
    'nodes/:node',
    SINCE,
    async (request) =>
      ({
        nodeUuid: (await nodeOf(store.nodes, request)).uuid,
      }) as Partial<T>,
  );
}
