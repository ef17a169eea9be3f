import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { requireReauthentication } from '../../http/auth.ts'
import { sendFile } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type Input, type Route, route } from '../../http/route.ts'
import type { AccountHolder } from '../../providers/connector/types.ts'
import { findLogo } from './branding.ts'
import { OneProfile, OneSettings, SettingsChange } from './schemas.ts'
import { changeSettings, getProfile, getSettings, HolderUnknown, lookUpHolder } from './service.ts'

const slice = { service: 'user-service', family: 'both', errors: 'fields' } as const

type ProfileDeps = Pick<Deps, 'db' | 'ids' | 'keyring' | 'clock' | 'providers' | 'people'>

export const profileRoutes = (deps: ProfileDeps): Route[] => [
  route({
    ...slice,
    operation: 'get_profile',
    summary: 'Get the business that the key belongs to',
    method: 'GET',
    path: '/profile',
    scope: 'profile:read',
    response: OneProfile,
    handle: async ({ caller }) => success('Profile retrieved.', await getProfile(deps.db, caller)),
  }),
  route({
    ...slice,
    operation: 'get_profile_settings',
    summary: 'Get the business’s settings',
    method: 'GET',
    path: '/profile/settings',
    scope: 'profile:read',
    response: OneSettings,
    handle: async ({ caller }) => success('Settings retrieved.', await getSettings(deps, caller)),
  }),
  route({
    ...slice,
    operation: 'update_profile_settings',
    summary: 'Update the business’s settings',
    method: 'PUT',
    path: '/profile/settings',
    scope: 'profile:write',
    body: SettingsChange,
    response: OneSettings,
    secrets: ['redirectSecret'],
    handle: (input) => {
      // Someone at an unattended screen must not be able to redirect money or payers.
      if (GRAVE.some((name) => input.body[name] !== undefined))
        requireReauthentication(input.caller)
      return updateSettings(deps, input)
    },
  }),
]

/** The settings that decide where money and payers go, or who has to approve a transfer. */
const GRAVE = [
  'settlementAccount',
  'payoutSchedule',
  'manualPayment',
  'feeBearer',
  'origins',
  'transferApprovalAbove',
  'dailyApprovalAbove',
  'virtualAccountPolicy',
] as const

/**
 * First tries without contacting the bank, which is enough if the request is a repeat or leaves the
 * account unchanged. Otherwise looks up the account holder, outside any transaction, and tries
 * again.
 */
async function updateSettings(
  deps: ProfileDeps,
  { caller, body, once }: Input<SettingsChange, unknown, unknown, Static<typeof OneSettings>>,
) {
  const write = (holder?: AccountHolder) =>
    once(async (tx) => {
      const settings = await changeSettings(tx, deps, caller, body, holder)
      return success('Settings changed.', settings)
    })
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof HolderUnknown) || !body.settlementAccount) throw error
  }
  return write(await lookUpHolder(deps.providers, caller, body.settlementAccount))
}

const YEAR_SECONDS = 31_536_000

/**
 * Serves logos to anyone who has the URL: payers who open our pages, and people who open our
 * emails.
 */
export function mountLogos(
  server: FastifyInstance,
  deps: Pick<Deps, 'db' | 'files'>,
  takeToken: (ip: string) => void,
): void {
  server.get<{ Params: { key: string; version: string } }>(
    '/brand/:key/:version',
    async (request, reply) => {
      takeToken(request.ip)
      const found = await findLogo(deps, request.params.key, request.params.version)
      if ('movedTo' in found) {
        return reply.header('cache-control', 'public, max-age=60').redirect(found.movedTo, 302)
      }
      await sendFile(request, reply, found.file, {
        headers: {
          'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
          'content-disposition': 'inline',
          'content-security-policy': "default-src 'none'; sandbox",
          // Webmail clients show our emails on pages from other origins.
          'cross-origin-resource-policy': 'cross-origin',
        },
        open: found.open,
      })
      return reply
    },
  )
}
