import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { createDiscount } from './create.ts'
import {
  DiscountList,
  DiscountQuery,
  NewDiscount,
  OneDiscount,
  UpdateDiscount,
  VerifiedDiscount,
  VerifyDiscount,
} from './schemas.ts'
import { listDiscounts, verifyDiscount } from './service.ts'
import { editablePartOf, lockRecord, updateDiscount } from './update.ts'

const slice = { service: 'payment-service', family: 'both', errors: 'fields' } as const

export const discountRoutes = ({ db, ids }: Pick<Deps, 'db' | 'ids'>): Route[] => [
  route({
    ...slice,
    operation: 'create_discount_code',
    summary: 'Create a discount code',
    method: 'POST',
    path: '/products/add-discount-code',
    scope: 'discounts:write',
    body: NewDiscount,
    response: OneDiscount,
    editable: editablePartOf,
    handle: ({ caller, body, once }) =>
      once(async (tx) =>
        success('Discount code created.', await createDiscount(tx, ids, caller, body)),
      ),
  }),
  route({
    ...slice,
    operation: 'list_discount_codes',
    summary: 'List discount codes',
    method: 'GET',
    path: '/products/get-discount-codes',
    scope: 'discounts:read',
    query: DiscountQuery,
    response: DiscountList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listDiscounts(db, caller, query)
      return success('Discount codes retrieved.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'update_discount_code',
    summary: 'Update a discount code',
    method: 'PUT',
    path: '/products/update-discount-code-details',
    scope: 'discounts:write',
    body: UpdateDiscount,
    response: OneDiscount,
    editable: editablePartOf,
    locked: (tx, { caller, body }) => lockRecord(tx, caller, body),
    handle: ({ caller, body, once }) =>
      once(async (tx) =>
        success('Discount code updated.', await updateDiscount(tx, ids, caller, body)),
      ),
  }),
  route({
    ...slice,
    family: 'external',
    operation: 'verify_discount_code',
    summary: 'Check a discount code without using it',
    method: 'POST',
    reads: true,
    path: '/products/verify-discount-code',
    scope: 'discounts:read',
    body: VerifyDiscount,
    response: VerifiedDiscount,
    handle: async ({ caller, body }) =>
      success('Discount code is valid.', await verifyDiscount(db, caller, body)),
  }),
]
