import type { Deps } from '../../deps.ts'
import { requireReauthentication } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { toId } from '../../lib/schemas.ts'
import { createSplitPage } from './create.ts'
import {
  AddedShare,
  NewSplitPage,
  OneSplitPage,
  ShareRequest,
  SplitPageId,
  SplitPageList,
  SplitPageQuery,
  SubaccountRequest,
  UpdateSplitPage,
} from './schemas.ts'
import { editablePartOf, getSplitPage, listSplitPages, lockRecord } from './service.ts'
import { addSubaccount, changeSplitPage, removeSubaccount } from './update.ts'

const slice = { service: 'transaction-service', family: 'both', errors: 'fields' } as const
const ofShares = { ...slice, errors: 'text' } as const

export const splitPageRoutes = (deps: Pick<Deps, 'db' | 'ids' | 'publicUrl'>): Route[] => [
  route({
    ...slice,
    operation: 'list_split_pages',
    summary: 'List split pages',
    method: 'GET',
    path: '/split-page/all',
    scope: 'split_pages:read',
    query: SplitPageQuery,
    response: SplitPageList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listSplitPages(deps.db, deps, caller, query)
      return success('Split pages.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'create_split_page',
    summary: 'Create a split page',
    method: 'POST',
    path: '/split-page',
    scope: 'split_pages:write',
    proven: true,
    status: 201,
    body: NewSplitPage,
    response: OneSplitPage,
    editable: editablePartOf,
    handle: ({ caller, body, once }) =>
      once(async (tx) =>
        success('Split page created.', await createSplitPage(tx, deps, caller, body)),
      ),
  }),
  route({
    ...slice,
    operation: 'get_split_page',
    summary: 'Get a split page',
    method: 'GET',
    path: '/split-page/:id',
    scope: 'split_pages:read',
    params: SplitPageId,
    response: OneSplitPage,
    editable: editablePartOf,
    handle: async ({ caller, params }) =>
      success('Split page.', await getSplitPage(deps.db, deps, caller, toId(params.id))),
  }),
  route({
    ...slice,
    operation: 'update_split_page',
    summary: 'Update a split page',
    method: 'PUT',
    path: '/split-page/:id',
    scope: 'split_pages:write',
    params: SplitPageId,
    body: UpdateSplitPage,
    response: OneSplitPage,
    editable: editablePartOf,
    locked: (tx, { caller, params }) => lockRecord(tx, deps, caller, toId(params.id)),
    handle: ({ caller, params, body, once }) => {
      // These determine how payments are split and who pays the fee.
      const { splitType, currency, feeBearer } = body
      const movesMoney = [splitType, currency, feeBearer].some((value) => value !== undefined)
      if (movesMoney) requireReauthentication(caller)
      return once(async (tx) => {
        const record = await changeSplitPage(tx, deps, caller, toId(params.id), body)
        return success('Split page updated.', record)
      })
    },
  }),
  route({
    ...ofShares,
    operation: 'add_split_page_subaccount',
    summary: 'Add a subaccount to a split page, or change its share',
    method: 'POST',
    path: '/split-page/:id/subaccount/add',
    scope: 'split_pages:write',
    proven: true,
    status: 201,
    params: SplitPageId,
    body: ShareRequest,
    response: AddedShare,
    handle: ({ caller, params, body, once }) =>
      once((tx) => addSubaccount(tx, deps, caller, toId(params.id), body)),
  }),
  route({
    ...ofShares,
    operation: 'remove_split_page_subaccount',
    summary: 'Remove a subaccount from a split page',
    method: 'POST',
    path: '/split-page/:id/subaccount/remove',
    scope: 'split_pages:write',
    proven: true,
    params: SplitPageId,
    body: SubaccountRequest,
    response: OneSplitPage,
    editable: editablePartOf,
    locked: (tx, { caller, params }) => lockRecord(tx, deps, caller, toId(params.id)),
    handle: ({ caller, params, body, once }) =>
      once(async (tx) => {
        const record = await removeSubaccount(tx, deps, caller, toId(params.id), body)
        return success('Subaccount removed.', record)
      }),
  }),
]
