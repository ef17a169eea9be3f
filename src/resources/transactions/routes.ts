import { inSteps } from '../../db/idempotency.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { UssdAnswer, UssdBody } from './schemas.ts'
import { beginUssd, openUssd, ussdAnswer } from './ussd.ts'

export const transactionRoutes = (deps: Pick<Deps, 'db' | 'ids' | 'providers'>): Route[] => [
  route({
    service: 'transaction-service',
    family: 'both',
    errors: 'coded',
    operation: 'create_ussd_transaction',
    summary: 'Begin a payment by USSD',
    method: 'POST',
    path: '/transaction-with-ussd',
    scope: 'transactions:write',
    body: UssdBody,
    answer: UssdAnswer,
    handle: ({ caller, body, claim, answer }) =>
      inSteps(deps.db, claim, {
        begin: (tx) => beginUssd(tx, deps, caller, body),
        finish: async (id) => {
          const row = await openUssd(deps, caller, id)
          // Until the provider has answered, a repeat asks it again.
          const isFinal = row.ussd_codes !== null || row.status !== 'Pending'
          return { answer: answer(ussdAnswer(row)), isFinal }
        },
      }),
  }),
]
