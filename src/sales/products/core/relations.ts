import type { Db } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { deliveryFeesOf } from './fees.ts'
import { filesOf } from './files.ts'
import { mediaOf } from './media.ts'
import { NO_VARIANTS, type VariantSet, variantSetsOf } from './options.ts'
import type { Overview } from './queries.ts'
import type { ProductRelations } from './record.ts'

/**
 * Loads the parts of products, by product id, with one statement for each kind of part that any of
 * them has.
 */
export async function relationsOf(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  tenant: Tenant,
  overviews: ReadonlyMap<number, Overview>,
): Promise<Map<number, ProductRelations>> {
  const having = (pick: (one: Overview) => boolean) => {
    const ids: number[] = []
    for (const [id, overview] of overviews) if (pick(overview)) ids.push(id)
    return ids
  }

  const variantSets: Map<number, VariantSet> = await variantSetsOf(
    db,
    tenant,
    having(({ has_options }) => has_options),
  )
  const media = await mediaOf(
    db,
    tenant,
    having(({ has_media }) => has_media),
    publicUrl,
  )
  const files = await filesOf(
    db,
    tenant,
    having(({ has_files }) => has_files),
  )
  const fees = await deliveryFeesOf(
    db,
    tenant,
    having(({ has_fees }) => has_fees),
  )
  const relations = new Map<number, ProductRelations>()
  for (const [id, stock] of overviews) {
    const { options, variants } = variantSets.get(id) ?? NO_VARIANTS
    relations.set(id, {
      options,
      variants,
      stock,
      // Omits images that could not be processed, which have no URL.
      media: media.get(id)?.filter(({ url }) => url !== null) ?? [],
      digitalFiles: files.get(id) ?? [],
      deliveryFees: fees.get(id) ?? [],
    })
  }
  return relations
}
