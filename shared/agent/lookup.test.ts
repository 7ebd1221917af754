import { expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { decodeLookupAnswer, encodeLookupAnswer, encodeLookupQuery } from './lookup.ts';

const ANSWER = { node: { uuid: 'n', properties: {} }, heartbeatTimeoutSeconds: 60, token: 't' };

it('sends all addresses, and the uuid when it is known', () => {
  const macs = ['52:54:00:00:00:01', '52:54:00:00:00:02'];
  expect(encodeLookupQuery({ macs, nodeUuid: null })).toEqual({ addresses: macs.join(',') });
  expect(encodeLookupQuery({ macs: [], nodeUuid: 'n' })).toEqual({ addresses: '', node_uuid: 'n' });
});

it('is decoded to what was encoded', () => {
  expect(decodeLookupAnswer(encodeLookupAnswer(ANSWER))).toEqual({ ok: true, value: ANSWER });
});

it('contains what other agents need', () => {
  expect(encodeLookupAnswer(ANSWER).config).toEqual({
    heartbeat_timeout: 60,
    agent_token: 't',
    agent_token_required: true,
    metrics: {
      backend: 'noop',
      prepend_host: false,
      prepend_uuid: false,
      prepend_host_reverse: true,
      global_prefix: null,
    },
    metrics_statsd: { statsd_host: 'localhost', statsd_port: 8125 },
    disable_deep_image_inspection: false,
    permitted_image_formats: ['raw', 'qcow2'],
    enable_bios_bootloader_install: true,
  });
});

it.each([undefined, null, 0, -5, 'soon', '1e999'])('uses 300 s for the timeout %s', (timeout) => {
  expect(decodeLookupAnswer({ node: { uuid: 'n' }, config: { heartbeat_timeout: timeout } })).toEqual({
    ok: true,
    value: { node: { uuid: 'n' }, heartbeatTimeoutSeconds: 300, token: null },
  });
});

it('is rejected without a node, and never throws', () => {
  const reason = 'the lookup answer contains no node';
  for (const body of [null, [], 'x', {}, { node: null }, { node: [] }, { node: { uuid: 1 } }]) {
    expect(decodeLookupAnswer(body)).toEqual({ ok: false, reason });
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(decodeLookupAnswer(value)).toHaveProperty('ok');
      expect(decodeLookupAnswer({ node: { uuid: 'n' }, config: value })).toMatchObject({ ok: true });
    }),
  );
});
