import type { Deps } from '../../deps.ts'
import { withStoredFiles } from '../../files/files.ts'
import { Download, FileOf } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import {
  acceptDispute,
  addEvidence,
  contestDispute,
  EVIDENCE_LIMITS,
  removeEvidence,
} from './respond.ts'
import {
  AcceptDispute,
  ContestDispute,
  DisputeList,
  DisputeQuery,
  DisputeReference,
  EvidenceKey,
  NewEvidence,
  OneDispute,
} from './schemas.ts'
import { getDispute, listDisputes, readEvidence } from './service.ts'

const slice = { service: 'transaction-service', family: 'both', errors: 'fields' } as const

type RouteDeps = Pick<Deps, 'db' | 'ids' | 'files' | 'nudge'>

export const disputeRoutes = (deps: RouteDeps): Route[] => [
  ...readRoutes(deps),
  ...evidenceRoutes(deps),
  ...responseRoutes(deps),
]

const readRoutes = (deps: RouteDeps): Route[] => [
  route({
    ...slice,
    operation: 'list_disputes',
    summary: 'List disputes',
    method: 'GET',
    path: '/disputes',
    scope: 'disputes:read',
    query: DisputeQuery,
    response: DisputeList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listDisputes(deps.db, caller, query)
      return success('Disputes.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_dispute',
    summary: 'Get a dispute',
    method: 'GET',
    path: '/disputes/:reference',
    scope: 'disputes:read',
    params: DisputeReference,
    response: OneDispute,
    handle: async ({ caller, params }) =>
      success('Dispute.', await getDispute(deps.db, caller, params.reference)),
  }),
]

const evidenceRoutes = (deps: RouteDeps): Route[] => [
  route({
    ...slice,
    operation: 'add_dispute_evidence',
    summary: 'Add files that support a response to a dispute',
    method: 'POST',
    path: '/disputes/:reference/evidence',
    scope: 'disputes:write',
    params: DisputeReference,
    body: NewEvidence,
    uploads: EVIDENCE_LIMITS,
    response: OneDispute,
    async handle({ caller, params, files, earlier, once }) {
      const repeated = await earlier()
      if (repeated) return repeated
      return withStoredFiles(deps, files, (arrived) =>
        once(async (tx) => {
          const { reference } = params
          return success('Files added.', await addEvidence(tx, deps, caller, reference, arrived))
        }),
      )
    },
  }),
  route({
    ...slice,
    operation: 'get_dispute_evidence',
    summary: 'Download a file that was added to a dispute',
    method: 'GET',
    path: '/disputes/:reference/evidence/:evidenceId',
    scope: 'disputes:read',
    params: EvidenceKey,
    response: FileOf('application/octet-stream'),
    async handle({ caller, params }) {
      const { file, content } = await readEvidence(deps, caller, params)
      const { content_type: type } = file
      const name = `evidence-${file.id}.${type.split('/')[1]}`
      return new Download(content, { type, name, disposition: 'attachment' })
    },
  }),
  route({
    ...slice,
    operation: 'delete_dispute_evidence',
    summary: 'Delete a file that no response to a dispute has used',
    method: 'POST',
    path: '/disputes/:reference/evidence/:evidenceId/delete',
    scope: 'disputes:write',
    params: EvidenceKey,
    response: OneDispute,
    handle: ({ caller, params, once }) =>
      once(async (tx) => success('File deleted.', await removeEvidence(tx, deps, caller, params))),
  }),
]

const responseRoutes = (deps: RouteDeps): Route[] => [
  route({
    ...slice,
    operation: 'accept_dispute',
    summary: 'Accept a dispute, so that the payer gets the money back',
    method: 'POST',
    path: '/disputes/:reference/accept',
    scope: 'disputes:write',
    params: DisputeReference,
    body: AcceptDispute,
    response: OneDispute,
    handle: ({ caller, params, body, once }) =>
      once(async (tx) => {
        const { reference } = params
        const dispute = await acceptDispute(tx, deps, caller, reference, body)
        return success('The acceptance is being sent.', dispute)
      }),
  }),
  route({
    ...slice,
    operation: 'contest_dispute',
    summary: 'Contest a dispute',
    method: 'POST',
    path: '/disputes/:reference/contest',
    scope: 'disputes:write',
    params: DisputeReference,
    body: ContestDispute,
    response: OneDispute,
    handle: ({ caller, params, body, once }) =>
      once(async (tx) => {
        const { reference } = params
        const dispute = await contestDispute(tx, deps, caller, reference, body)
        return success('The response is being sent.', dispute)
      }),
  }),
]
