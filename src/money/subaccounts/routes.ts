import type { Deps } from '../../deps.ts'
import { requireReauthentication } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { createSubaccount, withHolderLookup } from './create.ts'
import { confirmAccount } from './holders.ts'
import {
  CreatedSubaccount,
  NewSubaccount,
  OneSubaccount,
  SubaccountList,
  SubaccountQuery,
  SubaccountReference,
  UpdateSubaccount,
} from './schemas.ts'
import {
  deactivateSubaccount,
  editablePartOf,
  getSubaccount,
  listSubaccounts,
  lockRecord,
} from './service.ts'
import { changeSubaccount } from './update.ts'

const slice = { service: 'transaction-service', family: 'both', errors: 'fields' } as const

type SubaccountDeps = Pick<Deps, 'db' | 'ids' | 'keyring' | 'providers' | 'people' | 'nudge'>

export const subaccountRoutes = (deps: SubaccountDeps): Route[] => [
  route({
    ...slice,
    operation: 'create_subaccount',
    summary: 'Create a subaccount',
    method: 'POST',
    path: '/subaccounts',
    scope: 'subaccounts:write',
    proven: true,
    body: NewSubaccount,
    response: CreatedSubaccount,
    handle: ({ caller, body, once }) =>
      withHolderLookup(deps.providers, caller, (asked) =>
        once(async (tx) => {
          const record = await createSubaccount(tx, deps, caller, body, asked)
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
    response: SubaccountList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listSubaccounts(deps, caller, query)
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
    response: OneSubaccount,
    editable: editablePartOf,
    handle: async ({ caller, params }) =>
      success('Subaccount.', await getSubaccount(deps.db, deps, caller, params.reference)),
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
    response: OneSubaccount,
    editable: editablePartOf,
    locked: (tx, { caller, params }) => lockRecord(tx, deps, caller, params.reference),
    handle: ({ caller, params, body, once }) => {
      if (movesMoney(body)) requireReauthentication(caller)
      return withHolderLookup(deps.providers, caller, (asked) =>
        once(async (tx) => {
          const record = await changeSubaccount(tx, deps, caller, params.reference, body, asked)
          return success('Subaccount updated.', record)
        }),
      )
    },
  }),
  route({
    ...slice,
    operation: 'confirm_subaccount_account',
    summary: 'Confirm the bank account of a subaccount whose payouts are blocked',
    method: 'POST',
    path: '/subaccounts/:reference/confirm-account',
    scope: 'subaccounts:write',
    proven: true,
    params: SubaccountReference,
    response: OneSubaccount,
    editable: editablePartOf,
    locked: (tx, { caller, params }) => lockRecord(tx, deps, caller, params.reference),
    handle: ({ caller, params, once }) =>
      once(async (tx) => {
        const record = await confirmAccount(tx, deps, caller, params.reference)
        return success('Account confirmed.', record)
      }),
  }),
  route({
    ...slice,
    operation: 'deactivate_subaccount',
    summary: 'Deactivate a subaccount',
    method: 'POST',
    path: '/subaccounts/:reference/deactivate',
    scope: 'subaccounts:write',
    params: SubaccountReference,
    response: OneSubaccount,
    editable: editablePartOf,
    locked: (tx, { caller, params }) => lockRecord(tx, deps, caller, params.reference),
    handle: ({ caller, params, once }) =>
      once(async (tx) => {
        const record = await deactivateSubaccount(tx, deps, caller, params.reference)
        return success('Subaccount deactivated.', record)
      }),
  }),
]

/** Returns whether a change affects where money goes, or how much. */
const movesMoney = ({
  bank,
  account_number,
  account_name,
  percentage_charge,
}: UpdateSubaccount): boolean =>
  [bank, account_number, account_name, percentage_charge].some((value) => value !== undefined)
