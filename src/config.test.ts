import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  allowsLoopback,
  ConfigError,
  type Environment,
  exampleEnvironment,
  readConfig,
} from './config.ts'

/** Returns the one line that the operator sees. */
function refusalOf(environment: Environment): string {
  try {
    readConfig(environment)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error('nothing was refused')
}

describe('.env.example', () => {
  const file = readFileSync(new URL('../.env.example', import.meta.url), 'utf8')

  test('is what src/config.ts prints', () => {
    expect(file).toBe(exampleEnvironment())
  })

  test('changes nothing when every line of it is switched on', () => {
    const lines = [...file.matchAll(/^# ([A-Z_]+)=(.*)$/gm)]
    const environment = Object.fromEntries(lines.map(([, name, value]) => [name, value]))
    expect(lines.length).toBeGreaterThan(10)
    expect(readConfig(environment)).toEqual(readConfig({}))
  })
})

describe('docs/operations.md', () => {
  const rows = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line.split(' | ').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, it]) => it)),
    )

  test('has each setting in a table, with its default where it is in that of defaults', () => {
    const defaults = [...exampleEnvironment().matchAll(/^# ([A-Z_]+)=(.*)$/gm)]
    for (const [, name, fallback] of defaults) {
      const said = rows.filter(([names]) => names!.includes(name))
      expect([name, said.length > 0]).toEqual([name, true])
      if (fallback === '') continue
      const [names, values] = said.find(([names, values]) => names!.length === values?.length) ?? []
      expect([name, values?.[names!.indexOf(name)]]).toEqual([name, fallback])
    }
  })
})

describe('right values', () => {
  test('are all optional', () => {
    expect(readConfig({})).toEqual({
      PORT: 4000,
      HOST: '127.0.0.1',
      DATA_DIR: resolve('data'),
      DATABASE_URL: undefined,
      DATABASE_CONNECTIONS: 16,
      DATABASE_DIRECT_URL: undefined,
      DATABASE_REPLICA_URL: undefined,
      DATABASE_PREPARE: undefined,
      STORAGE_URL: undefined,
      UPLOAD_MEDIA_MIB: 10,
      UPLOAD_FILE_MIB: 500,
      PUBLIC_URL: undefined,
      TRUST_PROXY: [],
      RATE_LIMIT: 100,
      RATE_LIMIT_SHARED: false,
      IDEMPOTENCY_HOURS: 24,
      MAIL_DAYS: 365,
      MAIL_LIST_DAYS: undefined,
      EVENTS_DAYS: undefined,
      WAL_ARCHIVE: undefined,
      WAL_ARCHIVE_KEY_FILE: undefined,
      DELIVERY_DAYS: 30,
      RETENTION_ARCHIVE: undefined,
      REQUEST_LOG_DAYS: 30,
      SIMULATOR_DELAY_MS: 2000,
      SMTP_URL: undefined,
      MAIL_FROM: undefined,
      WEBHOOKS_LOOPBACK: undefined,
      METRICS_TOKEN: undefined,
      OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
      OTEL_EXPORTER_OTLP_HEADERS: undefined,
      OTEL_SERVICE_NAME: 'tradepost',
      OTEL_TRACES_SAMPLER_ARG: 1,
      LOG_LEVEL: 'info',
      PROVIDER_HOSTS: [],
      TRADEPOST_ENCRYPTION_KEY: undefined,
      TRADEPOST_ENCRYPTION_KEY_FILE: undefined,
      WORKER_PORT: undefined,
    })
  })

  test.each([
    ['PORT', '0', 0],
    ['PORT', '65535', 65_535],
    ['DATABASE_PREPARE', '0', false],
    ['PUBLIC_URL', 'https://pay.example.com/', 'https://pay.example.com'],
    ['PUBLIC_URL', 'https://example.com/shop//', 'https://example.com/shop'],
    ['TRUST_PROXY', ' 10.0.0.0/8 , ::1, 192.168.1.7 ', ['10.0.0.0/8', '::1', '192.168.1.7']],
    ['RATE_LIMIT', '0', 0],
    ['LOG_LEVEL', 'silent', 'silent'],
  ] as const)('%s=%s is %j', (name, text, value) => {
    expect(readConfig({ [name]: text })[name]).toEqual(value)
  })

  test('that are empty count as unset, as in a copied .env', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '', LOG_LEVEL: '' })).toEqual(readConfig({}))
  })
})

describe('wrong values', () => {
  const whole = (least: number, most: number) => `must be a whole number from ${least} to ${most}`
  const port = whole(0, 65_535)
  const database = 'must be a URL that starts with postgres:// or postgresql://'
  const web = 'must be a URL that starts with http:// or https://'
  const plain = 'must be a URL without a user name, query or fragment'
  const smtp = 'must be a URL such as smtps://user:password@mail.example.com'
  const tls = 'can only end in ?tls=required, ?tls=optional or ?tls=off'
  const address = 'must be a plain email address'
  const ranges = 'must list IP addresses or ranges such as 10.0.0.0/8'

  test.each([
    ['PORT', 'http', `PORT ${port} (it is "http")`],
    ['PORT', '65536', `PORT ${port} (it is "65536")`],
    ['PORT', '-1', `PORT ${port} (it is "-1")`],
    ['PORT', '80.5', `PORT ${port} (it is "80.5")`],
    ['PORT', '0x50', `PORT ${port} (it is "0x50")`],
    ['PORT', '8e1', `PORT ${port} (it is "8e1")`],
    ['PORT', ' 80', `PORT ${port} (it is " 80")`],
    ['PORT', '80\nHOST=x', `PORT ${port} (it is "80\\nHOST=x")`],
    ['HOST', '  ', 'HOST must not be empty (it is "  ")'],
    ['DATA_DIR', ' ', 'DATA_DIR must not be empty (it is " ")'],
    ['DATABASE_URL', 'mysql://root:hunter2@db/x', `DATABASE_URL ${database}`],
    ['DATABASE_URL', 'hunter2', `DATABASE_URL ${database}`],
    ['DATABASE_CONNECTIONS', '3', `DATABASE_CONNECTIONS ${whole(4, 200)} (it is "3")`],
    [
      'DATABASE_DIRECT_URL',
      'postgres://one',
      'DATABASE_URL must be set if DATABASE_DIRECT_URL is set',
    ],
    [
      'DATABASE_REPLICA_URL',
      'postgres://two',
      'DATABASE_URL must be set if DATABASE_REPLICA_URL is set',
    ],
    ['DATABASE_PREPARE', 'yes', 'DATABASE_PREPARE must be 0 or 1 (it is "yes")'],
    ['PUBLIC_URL', 'pay.example.com', `PUBLIC_URL ${web} (it is "pay.example.com")`],
    ['PUBLIC_URL', 'ftp://example.com', `PUBLIC_URL ${web} (it is "ftp://example.com")`],
    ['PUBLIC_URL', 'javascript:alert(1)', `PUBLIC_URL ${web} (it is "javascript:alert(1)")`],
    ['SMTP_URL', 'hunter2', `SMTP_URL ${smtp}`],
    ['SMTP_URL', 'http://bob:hunter2@mail.example', `SMTP_URL ${smtp}`],
    ['SMTP_URL', 'smtp://bob:hunter2@mail.example/?tls=no', `SMTP_URL ${tls}`],
    ['SMTP_URL', 'smtp://bob:hunter2@mail.example/?pool=1', `SMTP_URL ${tls}`],
    ['SMTP_URL', 'smtp://mail.example', 'MAIL_FROM must be set if SMTP_URL is set'],
    ['MAIL_FROM', 'Shop <a@b.example>', `MAIL_FROM ${address} (it is "Shop <a@b.example>")`],
    [
      'MAIL_FROM',
      'a@b.example,c@d.example',
      `MAIL_FROM ${address} (it is "a@b.example,c@d.example")`,
    ],
    [
      'PUBLIC_URL',
      'https://a.example/?x=1',
      `PUBLIC_URL ${plain} (it is "https://a.example/?x=1")`,
    ],
    ['PUBLIC_URL', 'https://a.example/#x', `PUBLIC_URL ${plain} (it is "https://a.example/#x")`],
    ['TRUST_PROXY', 'proxy', `TRUST_PROXY ${ranges} (it is "proxy")`],
    ['TRUST_PROXY', '10.0.0.0/33', `TRUST_PROXY ${ranges} (it is "10.0.0.0/33")`],
    ['TRUST_PROXY', '::1/129', `TRUST_PROXY ${ranges} (it is "::1/129")`],
    ['TRUST_PROXY', '10.0.0.0/8;::1', `TRUST_PROXY ${ranges} (it is "10.0.0.0/8;::1")`],
    ['RATE_LIMIT', 'off', `RATE_LIMIT ${whole(0, 1_000_000)} (it is "off")`],
    ['IDEMPOTENCY_HOURS', '0', `IDEMPOTENCY_HOURS ${whole(1, 720)} (it is "0")`],
    ['REQUEST_LOG_DAYS', '-1', `REQUEST_LOG_DAYS ${whole(0, 3650)} (it is "-1")`],
    ['SIMULATOR_DELAY_MS', '2s', `SIMULATOR_DELAY_MS ${whole(0, 3_600_000)} (it is "2s")`],
    ['WEBHOOKS_LOOPBACK', '1', 'WEBHOOKS_LOOPBACK must be one of on, off (it is "1")'],
    [
      'OTEL_TRACES_SAMPLER_ARG',
      '2',
      'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1 (it is "2")',
    ],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      'hunter2',
      'OTEL_EXPORTER_OTLP_HEADERS must list headers as NAME=VALUE, separated by commas',
    ],
    ['METRICS_TOKEN', '  ', 'METRICS_TOKEN must not be empty'],
    [
      'LOG_LEVEL',
      'verbose',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent (it is "verbose")',
    ],
  ])('%s=%s stops the start with one line', (name, text, line) => {
    const refusal = refusalOf({ [name]: text })
    expect(refusal).toBe(line)
    expect(refusal).not.toContain('\n')
  })

  test.each([
    'https://ada:hunter2@a.example',
    'https://:hunter2@a.example',
    'ftp://hunter2@a.example',
  ])('%s in PUBLIC_URL is refused without showing the password', (text) => {
    expect(refusalOf({ PUBLIC_URL: text })).toMatch(/it is "\w+:\/\/…@a\.example"/)
  })

  test('are also those that delete something too early', () => {
    const refusal = refusalOf({ EVENTS_DAYS: '29', MAIL_LIST_DAYS: '364' })
    expect(refusal).toBe(
      'MAIL_LIST_DAYS must be at least MAIL_DAYS (365); EVENTS_DAYS must be at least DELIVERY_DAYS (30)',
    )
    const url = 'postgres://localhost/tradepost'
    expect(refusalOf({ WAL_ARCHIVE: '/wal', DATABASE_URL: url })).toContain('embedded database')
    expect(refusalOf({ WAL_ARCHIVE: 'bucket' })).toContain('STORAGE_URL must be set')
    expect(readConfig({ EVENTS_DAYS: '30' }).EVENTS_DAYS).toBe(30)
  })

  test('are all named in one line', () => {
    const refusal = refusalOf({ LOG_LEVEL: 'loud', PORT: 'x', HOST: '300.1.1.1' })
    expect(refusal).toMatch(/^PORT .*; HOST must be an IP address.*; LOG_LEVEL /)
  })
})

test('secrets do not show in what is printed, joined or serialised', () => {
  const config = readConfig({
    DATABASE_URL: 'postgres://ada:hunter2@db.example/shop',
    METRICS_TOKEN: 'tok-hunter2',
  })
  const shown = [
    JSON.stringify(config),
    inspect(config, { depth: 9, showHidden: true }),
    `${config.DATABASE_URL} ${config.METRICS_TOKEN}`,
    Object.values(config).join(),
  ]
  for (const text of shown) expect(text).not.toContain('hunter2')
  expect(config.DATABASE_URL?.reveal()).toBe('postgres://ada:hunter2@db.example/shop')
})

test.each([
  [{}, true],
  [{ HOST: 'localhost' }, true],
  [{ HOST: '::1' }, true],
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '0.0.0.0', WEBHOOKS_LOOPBACK: 'on' }, true],
  [{ WEBHOOKS_LOOPBACK: 'off' }, false],
  [{ PUBLIC_URL: 'https://pay.example.com' }, false],
  [{ PUBLIC_URL: 'http://localhost:4000' }, true],
])('endpoints on this machine: %j is %s', (environment, allowed) => {
  expect(allowsLoopback(readConfig(environment))).toBe(allowed)
})
