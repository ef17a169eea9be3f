import { success } from '../../http/envelopes.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { askingHolder } from './account.ts'
import { createSubaccount } from './create.ts'
import { listSubaccounts } from './list.ts'
import {
  CreatedSubaccount,
  NewSubaccount,
  OneSubaccount,
  SubaccountList,
  SubaccountQuery,
  SubaccountReference,
  UpdateSubaccount,
} from './schemas.ts'
import { deactivateSubaccount, editedOf, getSubaccount, holdRecord } from './service.ts'
import { changeSubaccount } from './update.ts'

const slice = { service: 'transaction-service', family: 'both', errors: 'fields' } as const

export const subaccountRoutes = ({
  db,
  ids,
  providers,
}: Pick<Deps, 'db' | 'ids' | 'providers'>): Route[] => [
  route({
    ...slice,
    operation: 'create_subaccount',
    summary: 'Create a subaccount',
    method: 'POST',
    path: '/subaccounts',
    scope: 'subaccounts:write',
    body: NewSubaccount,
    answer: CreatedSubaccount,
    handle: ({ caller, body, once }) =>
      askingHolder(providers, caller, (asked) =>
        once(async (tx) => {
          const record = await createSubaccount(tx, ids, caller, body, asked)
          return { ...record, ...success('Subaccount created.', record) }
        }),
      ),
  }),
  route({
    ...slice,
    operation: 'list_subaccounts',
    summary: 'List subaccounts',
    method: 'GET',
    path: '/subaccounts/all',
    scope: 'subaccounts:read',
    query: SubaccountQuery,
    answer: SubaccountList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listSubaccounts(db, caller, query)
      return success('Subaccounts.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_subaccount',
    summary: 'Get a subaccount',
    method: 'GET',
    path: '/subaccounts/:reference',
    scope: 'subaccounts:read',
    params: SubaccountReference,
    answer: OneSubaccount,
    edited: editedOf,
    handle: async ({ caller, params }) =>
      success('Subaccount.', await getSubaccount(db, caller, params.reference)),
  }),
  route({
    ...slice,
    operation: 'update_subaccount',
    summary: 'Update a subaccount',
    method: 'PUT',
    path: '/subaccounts/:reference',
    scope: 'subaccounts:write',
    params: SubaccountReference,
    body: UpdateSubaccount,
    answer: OneSubaccount,
    edited: editedOf,
    held: (tx, { caller, params }) => holdRecord(tx, caller, params.reference),
    handle: ({ caller, params, body, once }) =>
      askingHolder(providers, caller, (asked) =>
        once(async (tx) => {
          const { reference } = params
          const record = await changeSubaccount(tx, ids, caller, reference, body, asked)
          return success('Subaccount updated.', record)
        }),
      ),
  }),
  route({
    ...slice,
    operation: 'deactivate_subaccount',
    summary: 'Deactivate a subaccount',
    method: 'POST',
    path: '/subaccounts/:reference/deactivate',
    scope: 'subaccounts:write',
    params: SubaccountReference,
    answer: OneSubaccount,
    edited: editedOf,
    held: (tx, { caller, params }) => holdRecord(tx, caller, params.reference),
    handle: ({ caller, params, once }) =>
      once(async (tx) => {
        const record = await deactivateSubaccount(tx, ids, caller, params.reference)
        return success('Subaccount deactivated.', record)
      }),
  }),
]
