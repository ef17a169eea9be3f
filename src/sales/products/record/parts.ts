import type { Db } from '../../../db/database.ts'
import { plainArray } from '../../../db/pg-arrays.ts'
import { sql } from '../../../db/sql.ts'
import type { Deps } from '../../../deps.ts'
import type { Tenant } from '../../../lib/caller.ts'
import { type Minor, printMinor } from '../../../lib/money.ts'
import type { LinkLimits, Overview } from './queries.ts'
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

export interface FeeRow {
  id: number
  product_id: number
  location: string
  fee_minor: Minor
  currency: string
}

/** `fees` is a decimal string, as the contract requires. */
export const feeRecord = (
  { id, product_id, location, fee_minor, currency }: FeeRow,
  status: 'Active' | 'Deleted' = 'Active',
) => ({
  reference: `DLV_${id}`,
  status,
  id,
  productId: String(product_id),
  location,
  fees: printMinor(fee_minor, currency),
  currency,
})

export type FeeRecord = ReturnType<typeof feeRecord>

/**
 * Returns the delivery fees of products, by product id and ordered by location. Omits products
 * without fees.
 */
export async function deliveryFeesOf(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
): Promise<Map<number, FeeRecord[]>> {
  if (productIds.length === 0) return new Map()
  const rows = await selectFees(db, tenant, productIds)
  const byProduct = Map.groupBy(rows, ({ product_id }) => product_id)
  return new Map([...byProduct].map(([id, own]) => [id, own.map((row) => feeRecord(row))]))
}

function selectFees(db: Db, { businessId, live }: Tenant, productIds: readonly number[]) {
  return db.many<FeeRow>`
    select id, product_id, location, fee_minor, currency from delivery_fees
    where business_id = ${businessId} and live = ${live}
      and product_id = any(${plainArray(productIds)}::bigint[])
    order by product_id, lower(location), id`
}

export interface FileRow extends LinkLimits {
  business_id: number
  live: boolean
  id: number
  reference: string
  product_id: number
  name: string
  content_type: string
  bytes: number
  /** Null once the file is Revoked, when nobody can download it any more. */
  sha256: Buffer | null
  downloads: number
  status: 'Active' | 'Deleted' | 'Revoked'
  created_at: Date
}

export const FILE_COLUMNS = sql`f.business_id, f.live, f.id, f.reference, f.product_id, f.name,
  f.content_type, f.bytes, f.sha256, f.downloads, f.status, f.created_at,
  case when f.has_own_limits then f.link_expiry else p.link_expiry end as link_expiry,
  case when f.has_own_limits then f.link_expiry_unit else p.link_expiry_unit end
    as link_expiry_unit,
  case when f.has_own_limits then f.max_downloads else p.max_downloads end as max_downloads`

export const FILES = sql`digital_files f
  join products p on (p.business_id, p.live, p.id) = (f.business_id, f.live, f.product_id)`

/** Returns a digital file as the API shows it (docs/CONTRACT.md, Products). */
export const fileRecord = (row: FileRow) => ({
  digitalDownloadFileId: String(row.id),
  reference: row.reference,
  productId: String(row.product_id),
  name: row.name,
  contentType: row.content_type,
  bytes: row.bytes,
  sha256: row.sha256?.toString('hex') ?? '',
  downloads: row.downloads,
  expiryValue: row.link_expiry,
  expiryUnit: row.link_expiry_unit,
  maxDownloads: row.max_downloads,
  status: row.status,
  createdAt: row.created_at,
})

export type FileRecord = ReturnType<typeof fileRecord>

/**
 * Returns the files sold with products, by product id, oldest first. Omits products without files.
 */
export async function filesOf(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
): Promise<Map<number, FileRecord[]>> {
  if (productIds.length === 0) return new Map()
  const rows = await selectFilesOf(db, tenant, productIds)
  const byProduct = Map.groupBy(rows, ({ product_id }) => product_id)
  return new Map([...byProduct].map(([id, own]) => [id, own.map(fileRecord)]))
}

function selectFilesOf(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
): Promise<FileRow[]> {
  return db.many<FileRow>`
    select ${FILE_COLUMNS} from ${FILES}
    where f.business_id = ${businessId} and f.live = ${live}
      and f.product_id = any(${productIds}::bigint[]) and f.status = 'Active'
    order by f.product_id, f.id`
}

export interface MediaRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  /** Null for a payment page’s image. */
  product_id: number | null
  /** Null if the image shows the product itself. */
  variant_id: number | null
  original_sha256: Buffer
  picture_sha256: Buffer | null
  thumbnail_sha256: Buffer | null
  status: 'Processing' | 'Ready' | 'Failed'
  /** The type of the original, which is also the type of the image made from it. */
  content_type: string
  width: number
  height: number
  bytes: number
  is_primary: boolean
  position: number
  due_at: Date | null
  attempts: number
  created_at: Date
  /** When to check whether any page shows this payment page image; null if no check is needed. */
  look_at: Date | null
}

export const MEDIA_COLUMNS = sql`business_id, live, id, reference, product_id, variant_id,
  original_sha256, picture_sha256, thumbnail_sha256, status, content_type, width, height, bytes,
  is_primary, position, due_at, attempts, created_at, look_at`

/** The path under which the server serves images. */
export const MEDIA = '/media/'

/** Returns an image as the API shows it (docs/CONTRACT.md, Products). */
export function mediaRecord(row: MediaRow, publicUrl: string) {
  const shown = row.status === 'Failed' ? null : (row.picture_sha256 ?? row.original_sha256)
  const tenant = { businessId: row.business_id, live: row.live }
  const urlOf = (sha256: Buffer | null) =>
    sha256 &&
    `${publicUrl}${MEDIA}${printMediaName({ ...tenant, id: row.id, hash: hashOf(sha256) })}`
  return {
    mediaId: row.id,
    reference: row.reference,
    status: row.status,
    productId: String(row.product_id),
    variantId: row.variant_id,
    url: urlOf(shown),
    thumbnailUrl: urlOf(row.thumbnail_sha256),
    contentType: row.content_type,
    width: row.width,
    height: row.height,
    bytes: row.bytes,
    isPrimary: row.is_primary,
    position: row.position,
    createdAt: row.created_at,
  }
}

export type MediaRecord = ReturnType<typeof mediaRecord>

/**
 * Returns the images of products, by product id and in order: those of the product, with
 * `variantId` null, and those of its variants. Omits products without images.
 */
export async function mediaOf(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
  publicUrl: string,
): Promise<Map<number, MediaRecord[]>> {
  if (productIds.length === 0) return new Map()
  const rows = await selectMediaOf(db, tenant, productIds)
  const byProduct = Map.groupBy(rows, ({ product_id }) => product_id!)
  return new Map(
    [...byProduct].map(([id, own]) => [id, own.map((row) => mediaRecord(row, publicUrl))]),
  )
}

function selectMediaOf(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
): Promise<MediaRow[]> {
  return db.many<MediaRow>`
    select ${MEDIA_COLUMNS} from product_media
    where business_id = ${businessId} and live = ${live}
      and product_id = any(${productIds}::bigint[])
    order by product_id, variant_id nulls first, position`
}

/**
 * Identifies an image’s row and, by a hash of its content, one of its files. A name therefore
 * always shows the same content.
 */
interface MediaName extends Tenant {
  id: number
  /** 132 bits of the SHA-256. Only someone who has the file or the name can know them. */
  hash: string
}

const HASH_LENGTH = 22

export const hashOf = (sha256: Buffer): string => sha256.toString('base64url').slice(0, HASH_LENGTH)

const printMediaName = ({ businessId, live, id, hash }: MediaName): string =>
  `${businessId.toString(36)}${live ? 'l' : 't'}-${id.toString(36)}-${hash}`

/** Returns the common start of the paths to all files of an image. */
export const imagePathPrefix = ({ business_id, live, id }: MediaRow): string =>
  `${MEDIA}${printMediaName({ businessId: business_id, live, id, hash: '' })}`

const NAME = /^([0-9a-z]{1,11}?)([lt])-([0-9a-z]{1,11})-([\w-]{22})$/

/** Returns undefined for a name that Tradepost did not create. */
export function parseMediaName(name: string): MediaName | undefined {
  const [, business = '', mode, id = '', hash] = NAME.exec(name) ?? []
  if (!hash) return undefined
  const businessId = Number.parseInt(business, 36)
  const number = Number.parseInt(id, 36)
  if (!Number.isSafeInteger(businessId) || !Number.isSafeInteger(number)) return undefined
  return { businessId, live: mode === 'l', id: number, hash }
}

/** The maximum number of values of an option. */
export const VALUES_MAX = 50

interface Value {
  id: number
  value: string
}

export interface Option {
  id: number
  name: string
  values: Value[]
}

export interface VariantRow {
  id: number
  product_id: number
  /** In the same order as the options. */
  value_ids: number[]
  sku: string | null
  /** Null means that the product’s price applies. */
  price_minor: Minor | null
  active: boolean
  tracked: boolean
  on_hand: number
  reserved: number
  sold: number
  low_stock_threshold: number | null
}

interface ValueRow {
  product_id: number
  option_id: number
  name: string
  value_id: number
  value: string
}

/** A product’s options and variants. Both are empty for a product without options. */
export interface VariantSet {
  options: Option[]
  /** In the order of their values. */
  variants: VariantRow[]
}

export const NO_VARIANTS: VariantSet = { options: [], variants: [] }

/** Returns the options and variants of products, by product id. Omits products without options. */
export async function variantSetsOf(
  db: Db,
  tenant: Tenant,
  productIds: readonly number[],
): Promise<Map<number, VariantSet>> {
  if (productIds.length === 0) return new Map()
  const values = Map.groupBy(
    await selectValues(db, tenant, productIds),
    ({ product_id }) => product_id,
  )
  const variants = Map.groupBy(
    await selectVariants(db, tenant, productIds),
    ({ product_id }) => product_id,
  )
  return new Map(
    [...values].map(([id, rows]) => {
      const options = optionsOf(rows)
      return [id, { options, variants: sorted(variants.get(id) ?? [], options) }]
    }),
  )
}

function optionsOf(rows: Awaited<ReturnType<typeof selectValues>>): Option[] {
  const byOption = Map.groupBy(rows, ({ option_id }) => option_id)
  return [...byOption].map(([id, values]) => ({
    id,
    name: values[0]!.name,
    values: values.map(({ value_id, value }) => ({ id: value_id, value })),
  }))
}

/** Sorts variants as a person would: all with the first value, then all with the second. */
function sorted(variants: VariantRow[], options: readonly Option[]): VariantRow[] {
  const places = new Map(
    options.flatMap(({ values }) => values.map(({ id }, place) => [id, place] as const)),
  )
  const placeOf = ({ value_ids }: VariantRow) =>
    value_ids.reduce((place, id) => place * VALUES_MAX + (places.get(id) ?? 0), 0)
  return variants.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Returns `{Size: 'M'}`, in the same order as the options. */
export function optionValuesOf(
  { value_ids }: Pick<VariantRow, 'value_ids'>,
  options: readonly Option[],
): Record<string, string> {
  return Object.fromEntries(
    options.map(({ name, values }, i) => [
      name,
      values.find(({ id }) => id === value_ids[i])?.value ?? '',
    ]),
  )
}

function selectValues(db: Db, { businessId, live }: Tenant, productIds: readonly number[]) {
  return db.many<ValueRow>`
    select o.product_id, o.id as option_id, o.name, v.id as value_id, v.value
    from product_options o
      join product_option_values v
        on v.business_id = o.business_id and v.live = o.live and v.option_id = o.id
    where o.business_id = ${businessId} and o.live = ${live}
      and o.product_id = any(${productIds}::bigint[])
    order by o.product_id, o.position, o.id, v.position, v.id`
}

function selectVariants(db: Db, { businessId, live }: Tenant, productIds: readonly number[]) {
  return db.many<VariantRow>`
    select v.id, v.product_id, v.value_ids::float8[] as value_ids, v.sku, v.price_minor, v.active,
      s.tracked, s.on_hand, s.reserved, s.sold, s.low_stock_threshold
    from product_variants v
      join stock_items s on s.business_id = v.business_id and s.live = v.live and s.id = v.id
    where v.business_id = ${businessId} and v.live = ${live}
      and v.product_id = any(${productIds}::bigint[]) and v.deleted_at is null`
}
