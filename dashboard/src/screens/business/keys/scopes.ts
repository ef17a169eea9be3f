import { COLLECTIONS } from '../../../../../src/lib/scopes.ts'
import { words } from '../../../ui/values.tsx'

export const ALL_SCOPES = COLLECTIONS.flatMap((one) => [`${one}:read`, `${one}:write`])

/** Returns the scopes that the user can grant: only those that they have themselves. */
export const choicesFor = (may: (scope: string) => boolean) =>
  COLLECTIONS.map((collection) => ({
    group: words(collection),
    items: [
      { value: `${collection}:read`, label: `${words(collection)}: read` },
      { value: `${collection}:write`, label: `${words(collection)}: read and write` },
    ].filter(({ value }) => may(value)),
  })).filter(({ items }) => items.length > 0)
