import { inSteps } from '../../db/idempotency.ts'
import { type Route, route } from '../../http/route.ts'
import { UssdAnswer, UssdBody } from './schemas.ts'
import { beginUssd, openUssd, type UssdDeps, ussdAnswer } from './ussd.ts'

export const transactionRoutes = (deps: UssdDeps): Route[] => [
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
