import type { Answer } from '../../db/idempotency.ts'
import { requireProof } from '../../http/auth.ts'
import { success } from '../../http/envelopes.ts'
import { type Input, type Route, route } from '../../http/route.ts'
import type { AccountHolder } from '../../providers/provider.ts'
import type { Deps } from '../deps.ts'
import { OneProfile, OneSettings, SettingsChange } from './schemas.ts'
import { AccountUnproven, changeSettings, findHolder, getProfile, getSettings } from './service.ts'

const slice = { service: 'user-service', family: 'both', errors: 'fields' } as const

type ProfileDeps = Pick<Deps, 'db' | 'ids' | 'providers' | 'people'>

export const profileRoutes = (deps: ProfileDeps): Route[] => [
  route({
    ...slice,
    operation: 'get_profile',
    summary: 'The business behind the key',
    method: 'GET',
    path: '/profile',
    scope: 'profile:read',
    answer: OneProfile,
    handle: async ({ caller }) => success('Profile.', await getProfile(deps.db, caller)),
  }),
  route({
    ...slice,
    operation: 'get_profile_settings',
    summary: 'The settings of the business',
    method: 'GET',
    path: '/profile/settings',
    scope: 'profile:read',
    answer: OneSettings,
    handle: async ({ caller }) => success('Settings.', await getSettings(deps.db, caller)),
  }),
  route({
    ...slice,
    operation: 'update_profile_settings',
    summary: 'Change settings of the business',
    method: 'PUT',
    path: '/profile/settings',
    scope: 'profile:write',
    body: SettingsChange,
    answer: OneSettings,
    secrets: ['redirectSecret'],
    handle: (input) => {
      // Whoever finds an open screen must not change where money and payers go.
      if (GRAVE.some((name) => input.body[name] !== undefined)) requireProof(input.caller)
      return updateSettings(deps, input)
    },
  }),
]

/** The settings that move money, or say who has to agree. */
const GRAVE = [
  'settlementAccount',
  'manualPayment',
  'feeBearer',
  'origins',
  'transferApprovalAbove',
  'dailyApprovalAbove',
  'virtualAccountPolicy',
] as const

/**
 * Tries without asking the bank, which is enough for a repeat and for an account that stays; only
 * then asks, outside any transaction, and tries again.
 */
async function updateSettings(
  deps: ProfileDeps,
  { caller, body, once }: Input<SettingsChange>,
): Promise<Answer> {
  const write = (holder?: AccountHolder) =>
    once(async (tx) => {
      const settings = await changeSettings(tx, deps, caller, body, holder)
      return success('Settings changed.', settings)
    })
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof AccountUnproven) || !body.settlementAccount) throw error
  }
  return write(await findHolder(deps.providers, caller, body.settlementAccount))
}
