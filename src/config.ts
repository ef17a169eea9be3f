import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { isEmail } from './lib/schemas.ts'
import { readSmtpUrl, readStorageUrl } from './lib/service-urls.ts'
import { Secret } from './lib/tokens.ts'

/** One line of the environment: its default, how it is read, and why it is there. */
interface Setting<T> {
  /** As written in the environment; undefined when unset means unset. */
  default: string | undefined
  /** Throws an Error whose message completes "NAME …". */
  read(text: string): T
  why: string
  secret?: boolean
}

const setting = <T>(spec: Setting<T>) => spec

const SETTINGS = {
  PORT: setting({
    default: '4000',
    read: wholeNumber(0, 65_535),
    why: 'The one port that is opened. 0 takes any free one.',
  }),
  HOST: setting({
    default: '127.0.0.1',
    read: hostName,
    why: 'The address to listen on. 0.0.0.0 shows the server to the network: put TLS in front.',
  }),
  DATA_DIR: setting({
    default: './data',
    read: (text) => resolve(nonEmpty(text)),
    why: 'Where the embedded database and files live.',
  }),
  DATABASE_URL: setting({
    default: undefined,
    read: (text) => new Secret(postgresUrl(text)),
    why: 'Any PostgreSQL from 15 on; with TLS by ?sslmode=verify-full. Unset: an embedded one in DATA_DIR.',
    secret: true,
  }),
  DATABASE_CONNECTIONS: setting({
    default: '16',
    read: wholeNumber(4, 200),
    why: 'Most database connections of this process. More is seldom faster.',
  }),
  DATABASE_PREPARE: setting({
    default: '1',
    read: onOff,
    why: 'Named prepared statements. 0 behind a pooler that cannot carry them (PgBouncer before 1.21).',
  }),
  STORAGE_URL: setting({
    default: undefined,
    read: (text) => new Secret(storageUrl(text)),
    why: 'A bucket for files: s3://KEY:SECRET@host/bucket?region=…. Unset: DATA_DIR/files.',
    secret: true,
  }),
  UPLOAD_MEDIA_MIB: setting({
    default: '10',
    read: wholeNumber(1, 100),
    why: 'The largest picture of a product, in MiB.',
  }),
  UPLOAD_FILE_MIB: setting({
    default: '500',
    read: wholeNumber(1, 5_000),
    why: 'The largest digital file, in MiB. As much room is needed in DATA_DIR while it comes in.',
  }),
  PUBLIC_URL: setting({
    default: undefined,
    read: httpUrl,
    why: 'What payers’ links begin with. Unset: http://HOST:PORT.',
  }),
  TRUST_PROXY: setting({
    default: '',
    read: addresses,
    why: 'Reverse proxies whose X-Forwarded-For is believed: addresses or ranges, with commas.',
  }),
  RATE_LIMIT: setting({
    default: '100',
    read: wholeNumber(0, 1_000_000),
    why: 'Requests a second for each key, with bursts of twice as many. 0 turns the limit off.',
  }),
  IDEMPOTENCY_HOURS: setting({
    default: '24',
    read: wholeNumber(1, 720),
    why: 'Hours for which an Idempotency-Key and its answer are kept.',
  }),
  REQUEST_LOG_DAYS: setting({
    default: '30',
    read: wholeNumber(0, 3_650),
    why: 'Days for which calls of the API are kept to be looked up. 0 keeps none.',
  }),
  SIMULATOR_DELAY_MS: setting({
    default: '2000',
    read: wholeNumber(0, 3_600_000),
    why: 'Milliseconds after which a simulated payment of test mode settles by itself.',
  }),
  SMTP_URL: setting({
    default: undefined,
    read: (text) => new Secret(smtpUrl(text)),
    why: 'Where mails go: smtps://user:password@host. Unset: the mailbox at /mailbox keeps them.',
    secret: true,
  }),
  MAIL_FROM: setting({
    default: undefined,
    read: email,
    why: 'The address that mails come from; SMTP_URL needs it. Replies go to the business.',
  }),
  WEBHOOKS_LOOPBACK: setting({
    default: undefined,
    read: (text) => oneOf(['on', 'off'])(text) === 'on',
    why: 'on lets test mode’s webhooks go to this machine itself. Unset: on while HOST is loopback.',
  }),
  MAIL_DAYS: setting({
    default: '365',
    read: wholeNumber(1, 3_650),
    why: 'Days for which the letters of mails are kept as they were sent, to be looked up.',
  }),
  METRICS_TOKEN: setting({
    default: undefined,
    read: (text) => new Secret(nonEmpty(text)),
    why: 'Bearer token with which /metrics answers others than this machine itself.',
    secret: true,
  }),
  LOG_LEVEL: setting({
    default: 'info',
    read: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    why: 'fatal, error, warn, info, debug, trace or silent. Logs are JSON lines on standard output.',
  }),
}

export type Environment = Record<string, string | undefined>
type Values = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> }
type Unset =
  | 'DATABASE_URL'
  | 'STORAGE_URL'
  | 'PUBLIC_URL'
  | 'SMTP_URL'
  | 'MAIL_FROM'
  | 'WEBHOOKS_LOOPBACK'
  | 'METRICS_TOKEN'

/** The environment, read once, typed; see SETTINGS for defaults, units and reasons. */
export type Config = Omit<Values, Unset> & { [Name in Unset]: Values[Name] | undefined }

/** A setting that cannot be used; the message is the one line an operator reads. */
export class ConfigError extends Error {}

/** A name and password in an address. */
const PASSWORD = /\/\/[^/]*@/

/** Reads the settings. Throws ConfigError naming each that is wrong, in one line. */
export function readConfig(environment: Environment): Config {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [name, { default: fallback, read, secret }] of Object.entries(SETTINGS)) {
    const text = environment[name] || fallback
    try {
      values[name] = text === undefined ? undefined : read(text)
    } catch (error) {
      const shown = secret ? '' : ` (it is ${JSON.stringify(text?.replace(PASSWORD, '//…@'))})`
      faults.push(`${name} ${(error as Error).message}${shown}`)
    }
  }
  if (values.SMTP_URL && !values.MAIL_FROM) faults.push('MAIL_FROM must be set where SMTP_URL is')
  if (faults.length > 0) throw new ConfigError(faults.join('; '))
  return values as Config
}

/** What payers' links begin with, without a slash at the end. `port` where PORT leaves it open. */
export function publicUrlOf({ PUBLIC_URL, HOST, PORT }: Config, port = PORT): string {
  return PUBLIC_URL ?? `http://${hostInUrl(HOST)}:${port}`
}

/** Whether endpoints of test mode may be on this machine. */
export function allowsLoopback({ WEBHOOKS_LOOPBACK, HOST, PUBLIC_URL }: Config): boolean {
  if (WEBHOOKS_LOOPBACK !== undefined) return WEBHOOKS_LOOPBACK
  // Behind a proxy it listens on loopback too, but others than this machine's people use it.
  const hosts = [HOST, ...(PUBLIC_URL ? [new URL(PUBLIC_URL).hostname] : [])]
  return hosts.every((host) => /^(?:localhost|\[?::1\]?|127\.[\d.]+)$/.test(host))
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** Where files are kept, and how large they may be. */
export function storageOf(config: Config) {
  const { DATA_DIR, STORAGE_URL, UPLOAD_MEDIA_MIB, UPLOAD_FILE_MIB } = config
  return {
    directory: DATA_DIR,
    bucket: STORAGE_URL && readStorageUrl(STORAGE_URL.reveal()),
    mediaBytesMax: UPLOAD_MEDIA_MIB * 1024 * 1024,
    fileBytesMax: UPLOAD_FILE_MIB * 1024 * 1024,
  }
}

/** The text of `.env.example`; a test compares. */
export function exampleEnvironment(): string {
  const lines = Object.entries(SETTINGS).map(([name, { default: fallback, why }]) => {
    const value = fallback === undefined ? `# ${name}=` : `# ${name}=${fallback}`
    return `# ${why}\n${value}\n`
  })
  return `# Every setting of Tradepost with its default. Printed from src/config.ts.\n\n${lines.join('\n')}`
}

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty')
  return text
}

/** An address, or the name of a host. Four numbers with dots are an address, or nothing. */
function hostName(text: string): string {
  nonEmpty(text)
  const isName = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text) && !/^[\d.]+$/.test(text)
  if (isIP(text) === 0 && !isName) throw new Error('must be an IP address or the name of a host')
  return text
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) {
      throw new Error(`must be a whole number from ${least} to ${most}`)
    }
    return value
  }
}

function onOff(text: string): boolean {
  if (text !== '0' && text !== '1') throw new Error('must be 0 or 1')
  return text === '1'
}

function oneOf<const T extends string>(values: readonly T[]) {
  return (text: string): T => {
    if (!values.includes(text as T)) throw new Error(`must be one of ${values.join(', ')}`)
    return text as T
  }
}

function urlOf(text: string, protocols: string[]): URL {
  const url = URL.parse(text)
  if (!url || !protocols.includes(url.protocol)) {
    throw new Error(`must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`)
  }
  return url
}

function postgresUrl(text: string): string {
  urlOf(text, ['postgres:', 'postgresql:'])
  return text
}

function storageUrl(text: string): string {
  readStorageUrl(text)
  return text
}

function smtpUrl(text: string): string {
  readSmtpUrl(text)
  return text
}

function email(text: string): string {
  if (!isEmail(text)) throw new Error('must be one plain email address')
  return text
}

function httpUrl(text: string): string {
  const url = urlOf(text, ['http:', 'https:'])
  const { search, hash, username, password } = url
  if (search || hash || username || password) throw new Error('must be a plain address')
  return url.href.replace(/\/+$/, '')
}

function addresses(text: string): string[] {
  const list = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  for (const part of list) {
    const [address = '', bits] = part.split('/')
    const family = isIP(address)
    const most = family === 6 ? 128 : 32
    if (family === 0 || (bits !== undefined && !(/^\d+$/.test(bits) && Number(bits) <= most))) {
      throw new Error('must list addresses or ranges such as 10.0.0.0/8')
    }
  }
  return list
}
