import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseServerKeys } from './encryption/server-keys.ts'
import { isEmail } from './lib/schemas.ts'
import { readSmtpUrl, readStorageUrl, readTraceHeaders, urlsOf } from './lib/service-urls.ts'
import { Secret } from './lib/tokens.ts'

/** An environment variable: its default, its reader, and its description. */
interface Setting<T> {
  /** As written in the environment; undefined if it has no default. */
  default: string | undefined
  /** Throws an Error whose message completes "NAME …". */
  read(text: string): T
  why: string
  secret?: boolean
}

const setting = <T>(spec: Setting<T>) => spec

/** The fewest database connections with which one process works well. */
const CONNECTIONS_MIN = 4

const SETTINGS = {
  PORT: setting({
    default: '4000',
    read: wholeNumber(0, 65_535),
    why: 'The only port Tradepost listens on. 0 picks any free port.',
  }),
  HOST: setting({
    default: '127.0.0.1',
    read: hostName,
    why: 'The address to listen on. 0.0.0.0 opens the server to the network: add a proxy with TLS.',
  }),
  DATA_DIR: setting({
    default: './data',
    read: (text) => resolve(nonEmpty(text)),
    why: 'The directory for the embedded database and files.',
  }),
  DATABASE_URL: setting({
    default: undefined,
    read: (text) => new Secret(postgresUrl(text)),
    why: 'Your own PostgreSQL 15 or newer, on host or host1,host2. Default: an embedded database.',
    secret: true,
  }),
  TRADEPOST_ENCRYPTION_KEY: setting({
    default: undefined,
    read: (text) => new Secret(serverKeys(text)),
    why: 'Encrypts secrets in the database: openssl rand -base64 32. Required with DATABASE_URL.',
    secret: true,
  }),
  TRADEPOST_ENCRYPTION_KEY_FILE: setting({
    default: undefined,
    read: (text) => resolve(nonEmpty(text)),
    why: 'A file with that key instead. Default, without DATABASE_URL: DATA_DIR/encryption.key.',
  }),
  DATABASE_CONNECTIONS: setting({
    default: '16',
    read: wholeNumber(CONNECTIONS_MIN, 200),
    why: 'The maximum number of database connections; --workers share them. More is rarely faster.',
  }),
  DATABASE_DIRECT_URL: setting({
    default: undefined,
    read: (text) => new Secret(postgresUrl(text)),
    why: 'PostgreSQL itself, for updates and commands, if DATABASE_URL leads to a pooler like PgBouncer.',
    secret: true,
  }),
  DATABASE_REPLICA_URL: setting({
    default: undefined,
    read: (text) => new Secret(postgresUrl(text)),
    why: 'Standbys of DATABASE_URL, on host or host1,host2, that serve lists, exports and the audit.',
    secret: true,
  }),
  DATABASE_PREPARE: setting({
    default: undefined,
    read: onOff,
    why: 'Use prepared statements. Default: 1, or 0 behind a pooler; PgBouncer 1.21 and newer can do 1.',
  }),
  STORAGE_URL: setting({
    default: undefined,
    read: (text) => new Secret(storageUrl(text)),
    why: 'A bucket for files: s3://KEY:SECRET@host/bucket?region=…. Default: DATA_DIR/files.',
    secret: true,
  }),
  UPLOAD_MEDIA_MIB: setting({
    default: '10',
    read: wholeNumber(1, 100),
    why: 'The maximum size of an image, in MiB.',
  }),
  UPLOAD_FILE_MIB: setting({
    default: '500',
    read: wholeNumber(1, 5_000),
    why: 'The maximum size of a digital file, in MiB. An upload needs the same amount of space in DATA_DIR.',
  }),
  WORKER_PORT: setting({
    default: undefined,
    read: wholeNumber(1, 65_535),
    why: 'The port for /health and /metrics of tradepost start --worker. Default: none.',
  }),
  PUBLIC_URL: setting({
    default: undefined,
    read: httpUrl,
    why: 'The URL that all links for payers start with. Default: http://HOST:PORT.',
  }),
  TRUST_PROXY: setting({
    default: '',
    read: addresses,
    why: 'Comma-separated IP addresses or ranges of reverse proxies whose X-Forwarded-For is trusted.',
  }),
  RATE_LIMIT: setting({
    default: '100',
    read: wholeNumber(0, 1_000_000),
    why: 'Requests per second for each key, with bursts of up to twice as many. 0 turns off all rate limits.',
  }),
  RATE_LIMIT_SHARED: setting({
    default: '0',
    read: onOff,
    why: '1 shares all rate limits between the servers on this database. 0: each server has its own.',
  }),
  IDEMPOTENCY_HOURS: setting({
    default: '24',
    read: wholeNumber(1, 720),
    why: 'How many hours an Idempotency-Key and its response are kept.',
  }),
  REQUEST_LOG_DAYS: setting({
    default: '30',
    read: wholeNumber(0, 3_650),
    why: 'How many days API requests are kept in the request log. 0 turns the log off.',
  }),
  SIMULATOR_DELAY_MS: setting({
    default: '2000',
    read: wholeNumber(0, 3_600_000),
    why: 'Milliseconds after which a simulated payment in test mode settles automatically.',
  }),
  SMTP_URL: setting({
    default: undefined,
    read: (text) => new Secret(smtpUrl(text)),
    why: 'The mail server: smtps://user:password@host. If unset, emails stay in the mailbox at /mailbox.',
    secret: true,
  }),
  MAIL_FROM: setting({
    default: undefined,
    read: email,
    why: 'The sender of all emails, required with SMTP_URL. Replies go to the business.',
  }),
  WEBHOOKS_LOOPBACK: setting({
    default: undefined,
    read: (text) => oneOf(['on', 'off'])(text) === 'on',
    why: 'on allows test-mode webhooks to this machine. Default: on if HOST and PUBLIC_URL are loopback.',
  }),
  PROVIDER_HOSTS: setting({
    default: '',
    read: hostList,
    why: 'Comma-separated hosts, with ports, that connections can use instead of their provider’s own.',
  }),
  MAIL_DAYS: setting({
    default: '365',
    read: wholeNumber(1, 3_650),
    why: 'How many days the text of sent emails is kept.',
  }),
  MAIL_LIST_DAYS: setting({
    default: undefined,
    read: wholeNumber(1, 36_500),
    why: 'How many days emails stay in the lists, at least MAIL_DAYS. Default: for ever.',
  }),
  EVENTS_DAYS: setting({
    default: undefined,
    read: wholeNumber(1, 36_500),
    why: 'How many days events are kept, at least DELIVERY_DAYS. Default: for ever.',
  }),
  WAL_ARCHIVE: setting({
    default: undefined,
    read: (text) => (text === 'bucket' ? text : resolve(nonEmpty(text))),
    why: 'A directory, or bucket, for the WAL of the embedded database: see Recovery to a moment. Default: none.',
  }),
  WAL_ARCHIVE_KEY_FILE: setting({
    default: undefined,
    read: (text) => resolve(nonEmpty(text)),
    why: 'A file with the passphrase that encrypts WAL_ARCHIVE. Default: not encrypted.',
  }),
  DELIVERY_DAYS: setting({
    default: '30',
    read: wholeNumber(4, 3_650),
    why: 'How many days webhook deliveries and their attempts are kept.',
  }),
  RETENTION_ARCHIVE: setting({
    default: undefined,
    read: (text) => resolve(nonEmpty(text)),
    why: 'A directory to which events, emails, requests and deliveries are written before they are deleted. Default: none.',
  }),
  METRICS_TOKEN: setting({
    default: undefined,
    read: (text) => new Secret(nonEmpty(text)),
    why: 'Bearer token that gives other machines access to /metrics.',
    secret: true,
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    default: undefined,
    read: httpUrl,
    why: 'Where traces are sent, by OTLP over HTTP, such as http://localhost:4318. Default: nowhere.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    default: undefined,
    read: (text) => new Secret(traceHeaders(text)),
    why: 'Headers for that receiver, such as a key: NAME=VALUE,NAME=VALUE, percent-encoded.',
    secret: true,
  }),
  OTEL_SERVICE_NAME: setting({
    default: 'tradepost',
    read: nonEmpty,
    why: 'The name of this server in traces.',
  }),
  OTEL_TRACES_SAMPLER_ARG: setting({
    default: '1',
    read: share,
    why: 'The share of traces that is kept, from 0 to 1, unless the client has decided about its own.',
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
  | 'DATABASE_REPLICA_URL'
  | 'TRADEPOST_ENCRYPTION_KEY'
  | 'TRADEPOST_ENCRYPTION_KEY_FILE'
  | 'STORAGE_URL'
  | 'WORKER_PORT'
  | 'PUBLIC_URL'
  | 'SMTP_URL'
  | 'MAIL_FROM'
  | 'WEBHOOKS_LOOPBACK'
  | 'MAIL_LIST_DAYS'
  | 'EVENTS_DAYS'
  | 'RETENTION_ARCHIVE'
  | 'WAL_ARCHIVE'
  | 'WAL_ARCHIVE_KEY_FILE'
  | 'METRICS_TOKEN'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_HEADERS'

/** The typed values of the environment; see SETTINGS for defaults, units and reasons. */
export type Config = Omit<Values, Unset> & { [Name in Unset]: Values[Name] | undefined }

/** An invalid setting; the message is the line shown to the operator. */
export class ConfigError extends Error {}

/** Settings that must not be shorter than another: what they keep is needed for as long as that. */
const LONGER = [
  ['MAIL_LIST_DAYS', 'MAIL_DAYS'],
  ['EVENTS_DAYS', 'DELIVERY_DAYS'],
] as const

const PASSWORD = /\/\/[^/]*@/

/** Reads the settings. Throws a ConfigError that names each invalid setting, all on one line. */
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
  if (values.SMTP_URL && !values.MAIL_FROM) faults.push('MAIL_FROM must be set if SMTP_URL is set')
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL']) {
    if (values[name] && !values.DATABASE_URL) {
      faults.push(`DATABASE_URL must be set if ${name} is set`)
    }
  }
  for (const [longer, shorter] of LONGER) {
    if (values[longer] !== undefined && Number(values[longer]) < Number(values[shorter])) {
      faults.push(`${longer} must be at least ${shorter} (${values[shorter]})`)
    }
  }
  if (values.WAL_ARCHIVE && values.DATABASE_URL) {
    faults.push('WAL_ARCHIVE is for the embedded database and cannot be set with DATABASE_URL')
  }
  if (values.WAL_ARCHIVE === 'bucket' && !values.STORAGE_URL) {
    faults.push('STORAGE_URL must be set if WAL_ARCHIVE is bucket')
  }
  if (values.TRADEPOST_ENCRYPTION_KEY && values.TRADEPOST_ENCRYPTION_KEY_FILE) {
    faults.push('TRADEPOST_ENCRYPTION_KEY and TRADEPOST_ENCRYPTION_KEY_FILE cannot both be set')
  }
  if (faults.length > 0) throw new ConfigError(faults.join('; '))
  return values as Config
}

/** Returns the base URL of payers' links, without a trailing slash. `port` is used if PORT is 0. */
export function publicUrlOf({ PUBLIC_URL, HOST, PORT }: Config, port = PORT): string {
  return PUBLIC_URL ?? `http://${hostInUrl(HOST)}:${port}`
}

/**
 * The number of connections that one server can have to the embedded database. There is room for
 * two such servers, as with --web and --worker, and for commands.
 */
const EMBEDDED_CONNECTIONS_MAX = 50

/**
 * Divides DATABASE_CONNECTIONS between the processes of a server. The default grows with their
 * number. Throws a ConfigError if there are too few, or too many for the embedded database.
 */
export function connectionsOfEach(
  { DATABASE_CONNECTIONS: most, DATABASE_URL }: Config,
  environment: Environment,
  processes: number,
): number {
  const least = CONNECTIONS_MIN * processes
  const all = Math.max(most, least)
  if (most < least && environment.DATABASE_CONNECTIONS) {
    throw new ConfigError(
      `DATABASE_CONNECTIONS must be at least ${least} for --workers ${processes - 1}: ` +
        `${CONNECTIONS_MIN} for each worker, and ${CONNECTIONS_MIN} for the process that runs them`,
    )
  }
  if (!DATABASE_URL && all > EMBEDDED_CONNECTIONS_MAX) {
    throw new ConfigError(
      `the embedded database allows at most ${EMBEDDED_CONNECTIONS_MAX} connections per server: ` +
        'use fewer workers or a lower DATABASE_CONNECTIONS, or set DATABASE_URL to your own PostgreSQL',
    )
  }
  return Math.floor(all / processes)
}

/** Returns whether test-mode webhook endpoints can be on this machine. */
export function allowsLoopback({ WEBHOOKS_LOOPBACK, HOST, PUBLIC_URL }: Config): boolean {
  if (WEBHOOKS_LOOPBACK !== undefined) return WEBHOOKS_LOOPBACK
  // Behind a proxy, the server itself may listen only on loopback, but people on other machines use
  // it.
  const hosts = [HOST, ...(PUBLIC_URL ? [new URL(PUBLIC_URL).hostname] : [])]
  return hosts.every((host) => /^(?:localhost|\[?::1\]?|127\.[\d.]+)$/.test(host))
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

export function storageOf(config: Config) {
  const { DATA_DIR, STORAGE_URL, UPLOAD_MEDIA_MIB, UPLOAD_FILE_MIB } = config
  return {
    directory: DATA_DIR,
    bucket: STORAGE_URL && readStorageUrl(STORAGE_URL.reveal()),
    mediaBytesMax: UPLOAD_MEDIA_MIB * 1024 * 1024,
    fileBytesMax: UPLOAD_FILE_MIB * 1024 * 1024,
  }
}

/** Returns the content of `.env.example`; a test compares the two. */
export function exampleEnvironment(): string {
  const lines = Object.entries(SETTINGS).map(([name, { default: fallback, why }]) => {
    const value = fallback === undefined ? `# ${name}=` : `# ${name}=${fallback}`
    return `# ${why}\n${value}\n`
  })
  return `# Every Tradepost setting with its default. Generated from src/config.ts.\n\n${lines.join('\n')}`
}

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty')
  return text
}

/** Reads an IP address or a host name. Four numbers separated by dots have to be an IP address. */
function hostName(text: string): string {
  nonEmpty(text)
  const isName = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text) && !/^[\d.]+$/.test(text)
  if (isIP(text) === 0 && !isName) throw new Error('must be an IP address or a host name')
  return text
}

function hostList(text: string): string[] {
  const list = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  for (const part of list) {
    if (URL.parse(`http://${part}`)?.host !== part) {
      throw new Error('must list hosts such as proxy.example.com or 10.0.0.5:8080')
    }
  }
  return list
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

function share(text: string): number {
  const value = /^\d(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= 0 && value <= 1)) throw new Error('must be a number from 0 to 1')
  return value
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
    throw new Error(`must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
  }
  return url
}

function postgresUrl(text: string): string {
  for (const url of urlsOf(text)) urlOf(url, ['postgres:', 'postgresql:'])
  return text
}

function serverKeys(text: string): string {
  parseServerKeys(text)
  return text
}

function storageUrl(text: string): string {
  readStorageUrl(text)
  return text
}

function traceHeaders(text: string): string {
  readTraceHeaders(text)
  return text
}

function smtpUrl(text: string): string {
  readSmtpUrl(text)
  return text
}

function email(text: string): string {
  if (!isEmail(text)) throw new Error('must be a plain email address')
  return text
}

function httpUrl(text: string): string {
  const url = urlOf(text, ['http:', 'https:'])
  const { search, hash, username, password } = url
  if (search || hash || username || password)
    throw new Error('must be a URL without a user name, query or fragment')
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
      throw new Error('must list IP addresses or ranges such as 10.0.0.0/8')
    }
  }
  return list
}
