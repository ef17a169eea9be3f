import { isLoopbackUrl } from '../../http/ip-addresses.ts'
import { type Fields, invalid } from '../../lib/problem.ts'
import { isEmail } from '../../lib/schemas.ts'
import { randomText } from '../../lib/tokens.ts'
import { bankOf } from '../../providers/banks/banks.ts'
import { servicesOf } from '../../providers/connections.ts'
import type { HttpConnector } from '../../providers/connector/http-connector.ts'
import type { Connection, ConnectionSettings } from '../../providers/connector/types.ts'
import type { BaseUrls } from '../../providers/http-provider.ts'

/**
 * Returns the URL under which a connection calls its provider. Throws 400 naming `baseUrl` unless
 * it is the provider's own, or the operator allows it: the secret key is sent there.
 */
export function allowedBaseUrl(
  { baseUrls, title }: Pick<HttpConnector, 'baseUrls' | 'title'>,
  environment: Connection['environment'],
  given: string | undefined,
  { allowsLoopback, hosts }: BaseUrls,
): string {
  const own = baseUrls[environment]
  const wanted = given?.trim().replace(/\/+$/, '')
  if (own !== undefined && (!wanted || wanted === own)) return own
  const url = URL.parse(wanted ?? '')
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid({ baseUrl: ['must be an HTTP URL without a user name, query or fragment'] })
  }
  const isAllowed = hosts.includes(url.host) || (allowsLoopback && isLoopbackUrl(url.href))
  if (!isAllowed) {
    throw invalid({
      baseUrl: [`must be ${title}’s own, unless PROVIDER_HOSTS allows ${url.host}`],
    })
  }
  return url.href.replace(/\/+$/, '')
}

const MADE_LENGTH = 40

/**
 * Checks the form of credentials, and makes those that a provider lets us choose. `some` does not
 * require any of them. Throws 400 naming each one that is wrong.
 */
export function checkedCredentials(
  { credentials: fields }: Pick<HttpConnector, 'credentials'>,
  environment: Connection['environment'],
  given: Readonly<Record<string, string>>,
  required: 'all' | 'some' = 'all',
): { values: Record<string, string>; made: Record<string, string> } {
  const values: Record<string, string> = {}
  const made: Record<string, string> = {}
  const faults: Fields = {}
  for (const { name, isRequired, isOurChoice, faultOf } of fields) {
    const value = given[name]?.trim()
    if (value) {
      const fault = faultOf(value, environment)
      if (fault) faults[`credentials.${name}`] = [fault]
      else values[name] = value
    } else if (required === 'all' && isRequired) {
      if (isOurChoice) made[name] = randomText(MADE_LENGTH)
      else faults[`credentials.${name}`] = ['is required']
    }
  }
  const names = fields.map(({ name }) => name)
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) faults[`credentials.${name}`] = [`must be ${names.join(' or ')}`]
  }
  if (required === 'some' && Object.keys(given).length === 0) {
    faults.credentials = [`must contain ${names.join(' or ')}`]
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return { values: { ...values, ...made }, made }
}

/** Throws 400 naming the settings that do not fit the provider. */
export function requireSettings(
  connector: HttpConnector,
  { services = [], ussdBanks = [], payerEmail }: Partial<ConnectionSettings>,
): void {
  const offered = servicesOf(connector)
  const faults: Fields = {}
  if (services.some((service) => !offered.includes(service))) {
    faults['settings.services'] = [`can contain ${offered.join(', ')}`]
  }
  const banks = connector.ussdBanks ?? []
  if (ussdBanks.some((code) => !banks.includes(code))) {
    const names = banks.map((code) => `${code} (${bankOf(code)?.name})`)
    faults['settings.ussdBanks'] = [`can contain ${names.join(', ')}`]
  }
  if (payerEmail && !isEmail(payerEmail)) {
    faults['settings.payerEmail'] = ['must be a plain email address']
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}
