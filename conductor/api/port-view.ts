/**
 * A port as the wire shows it.
 */
import { PORT_FIELDS } from '@ingot/shared/ironic/port-fields.ts';
import type { Port } from '../domain/node.ts';
import { shownFields } from './field-selection.ts';
import { createPresenter, type Presenter, plainGetter } from './presentation.ts';

export function portPresenter(
  context: { readonly minor: number; readonly base: string },
  names: readonly string[] | null,
): Presenter<Port> {
  const fields = shownFields(PORT_FIELDS, context.minor, names);
  return createPresenter<Port>(
    fields,
    (field) => {
      // Port groups are not kept.
      if (field.wire === 'portgroup_uuid') return () => null;
      return plainGetter<Port>(field);
    },
    context.base,
    'ports',
  );
}
