import { COLLECTIONS } from '../../../../../src/lib/scopes.ts'
import { formatState } from '../../../ui/values.tsx'

export const ALL_SCOPES = COLLECTIONS.flatMap((one) => [`${one}:read`, `${one}:write`])

/** Returns the scopes that the user can grant, which are only those that they have themselves. */
export const choicesFor = (may: (scope: string) => boolean) =>
  COLLECTIONS.map((collection) => ({
    group: formatState(collection),
    items: [
      { value: `${collection}:read`, label: `${formatState(collection)}: read` },
      { value: `${collection}:write`, label: `${formatState(collection)}: read and write` },
    ].filter(({ value }) => may(value)),
  })).filter(({ items }) => items.length > 0)
