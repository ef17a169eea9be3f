import type { Deps } from '../../../deps.ts'
import { success } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import type { FeeRecord } from '../record/parts.ts'
import { FeeList, FeeNamed, FeeQuery, FeeSet, NewFee, OneFee, UpdateFee } from './schemas.ts'
import { changeFee, listFees, lockFeeRecord, removeFee, setFee } from './service.ts'

const slice = { service: 'payment-service', family: 'both', errors: 'text' } as const
const feeOf = ({ location, fees }: FeeRecord) => [location, fees]

const write = { ...slice, scope: 'products:write' } as const

export const deliveryFeeRoutes = (deps: Deps): Route[] => [
  route({
    ...write,
    operation: 'add_delivery_fee',
    summary: 'Add or change the delivery fee for a location',
    method: 'POST',
    path: '/products/add-delivery-fees',
    body: NewFee,
    response: FeeSet,
    handle: ({ caller, body, once }) => once((tx) => setFee(tx, deps, caller, body)),
  }),
  route({
    ...slice,
    operation: 'list_delivery_fees',
    summary: 'List the delivery fees of a product',
    method: 'GET',
    path: '/products/get-delivery-fees',
    scope: 'products:read',
    query: FeeQuery,
    response: FeeList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listFees(deps.db, caller, query)
      return success('Delivery fees retrieved.', records, meta)
    },
  }),
  route({
    ...write,
    operation: 'update_delivery_fee',
    summary: 'Change the delivery fee for a location',
    method: 'PUT',
    path: '/products/update-delivery-fees',
    body: UpdateFee,
    response: OneFee,
    editable: feeOf,
    locked: (tx, { caller, body }) => lockFeeRecord(tx, caller, body),
    handle: ({ caller, body, once }) =>
      once(async (tx) => success('Delivery fee updated.', await changeFee(tx, deps, caller, body))),
  }),
  route({
    ...write,
    operation: 'delete_delivery_fee',
    summary: 'Delete the delivery fee for a location',
    method: 'POST',
    path: '/products/delete-delivery-fees',
    body: FeeNamed,
    response: OneFee,
    handle: ({ caller, body, once }) =>
      once(async (tx) => success('Delivery fee deleted.', await removeFee(tx, deps, caller, body))),
  }),
]
