import { type Static, type TSchema, Type } from 'typebox'
import { PageLink } from '../../business/links/service.ts'
import { pagingRequired, sortingRequired } from '../../lib/paging.ts'
import { Envelope, Nullable, OneLine, PageOf, PathId, Timestamp } from '../../lib/schemas.ts'

/** A percentage of each payment, or an amount in naira, up to the largest possible payment. */
const Share = Type.Integer({
  minimum: 1,
  maximum: 100_000_000_000,
  description: 'A percentage of each payment or, for a fixed page, an amount in naira (not kobo).',
})

const Code = Type.String({ minLength: 1, maxLength: 64, description: 'A subaccount_code.' })

/**
 * Both names are accepted, because the contract uses one in requests and the other in responses.
 */
const subaccount = {
  sub_account_id: Type.Optional({ ...Code, 'x-spelling-of': 'subaccount' }),
  subaccount: Type.Optional(Code),
}
const both = {
  shere: Type.Optional({ ...Share, 'x-spelling-of': 'share' }),
  share: Type.Optional(Share),
  ...subaccount,
}

export interface SubaccountRequest {
  subaccount: string
}
export interface ShareRequest extends SubaccountRequest {
  share: number
}

/** If both are missing, the error names the contract's field. */
const subaccountNeeded = { oneOf: ['sub_account_id', 'subaccount'] }
const needed = [{ oneOf: ['shere', 'share'] }, subaccountNeeded]

export const ShareRequest = Type.Unsafe<ShareRequest>(Type.Object(both, { 'x-needs': needed }))
export const SubaccountRequest = Type.Unsafe<SubaccountRequest>(
  Type.Object(subaccount, { 'x-needs': [subaccountNeeded] }),
)

/** Inside a split page, an error for a missing field uses the field's name in the record. */
const PageShare = Type.Unsafe<ShareRequest>(
  Type.Object(both, { 'x-needs': needed.map(({ oneOf }) => ({ oneOf: oneOf.toReversed() })) }),
)

export const SHARES_MAX = 100

const Name = OneLine(200)
const SplitType = Type.Enum(['percentage', 'fixed'])
const FEE_BEARERS = ['business', 'customer', 'subaccounts'] as const
type FeeBearer = (typeof FEE_BEARERS)[number]
const Currency = { pattern: '^[A-Z]{3}$', 'x-says': 'must be a currency code such as NGN' }

export const NewSplitPage = Type.Object({
  name: Name,
  slug: Type.Optional(PageLink),
  splitType: Type.Enum(['percentage', 'fixed'], { default: 'percentage' }),
  category: Type.Boolean({ default: false, description: 'true for a group page.' }),
  status: Type.Boolean({ default: true, description: 'Whether it is active.' }),
  currency: Type.String({ ...Currency, default: 'NGN' }),
  feeBearer: Type.Optional(Type.Enum(FEE_BEARERS)),
  subaccounts: Type.Optional(Type.Array(PageShare, { maxItems: SHARES_MAX })),
})
export type NewSplitPage = Static<typeof NewSplitPage>

/** Only the given fields change. If `feeBearer` is null, the business's setting applies. */
export const UpdateSplitPage = Type.Object({
  name: Type.Optional(Name),
  slug: Type.Optional(PageLink),
  splitType: Type.Optional(SplitType),
  category: Type.Optional(Type.Boolean()),
  status: Type.Optional(Type.Boolean()),
  currency: Type.Optional(Type.String(Currency)),
  feeBearer: Type.Optional(Type.Unsafe<FeeBearer | null>({ enum: [...FEE_BEARERS, null] })),
})
export type UpdateSplitPage = Static<typeof UpdateSplitPage>

export const SplitPageId = Type.Object({ id: PathId('The id of a split page.') })

export const SplitPageQuery = Type.Object({
  ...pagingRequired,
  ...sortingRequired,
  searchString: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Part of the name, the slug or the reference, ignoring case.',
    }),
  ),
  status: Type.Optional(Type.Boolean({ description: 'Active or inactive.' })),
  splitType: Type.Optional(SplitType),
  category: Type.Optional(Type.Boolean()),
})
export type SplitPageQuery = Static<typeof SplitPageQuery>

const text = Type.String()

export const SplitPageRecord = Type.Object({
  reference: text,
  status: Type.Boolean({ description: 'Whether the page is active.' }),
  id: Type.Integer(),
  name: text,
  slug: text,
  url: text,
  splitType: text,
  category: Type.Boolean(),
  currency: text,
  feeBearer: Nullable(text),
  subaccounts: Type.Array(
    Type.Object({ subaccount: text, share: Type.Integer(), business_name: text }),
  ),
  totalShare: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const OneSplitPage = Envelope(SplitPageRecord)
export const SplitPageList = PageOf(SplitPageRecord)

/** Exactly the contract's fields. */
export const AddedShare: TSchema = Type.Object({ share: Type.Integer(), subaccount: text })
