import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Tradepost } from '../../sdk/src/index.ts'
import { VERSION } from '../../sdk/src/version.ts'
import { newWebhookSecret, signaturesOf, signingKeyOf } from '../../src/developers/webhooks/send.ts'
import { startServer } from '../harness.ts'

const run = promisify(execFile)
const server = await startServer()
const manifest = JSON.parse(readFileSync('sdk/package.json', 'utf8'))
const examples = globSync('sdk/examples/*.ts').sort()
const isServer = (path: string) => path.endsWith('/webhook-receiver.ts')

/** A project that has installed the package as published. */
const project = mkdtempSync(join(tmpdir(), 'tradepost-sdk-'))
const installed = join(project, 'node_modules/@tradepost/sdk')
afterAll(() => rmSync(project, { recursive: true, force: true }))

beforeAll(async () => {
  await run('node_modules/.bin/tsc', ['-p', 'sdk', '--outDir', join(installed, 'dist')])
  cpSync('sdk/package.json', join(installed, 'package.json'))
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  for (const path of examples) cpSync(path, join(project, basename(path)))
})

const env = (more: Record<string, string> = {}) => ({
  ...process.env,
  TRADEPOST_URL: server.url,
  TRADEPOST_KEY: server.business.keys.testSecret,
  ...more,
})

describe('the package', () => {
  test('has no dependencies, and the same version everywhere', () => {
    expect(manifest.dependencies).toBeUndefined()
    expect(manifest.peerDependencies).toBeUndefined()
    expect([manifest.version, manifest.sideEffects]).toEqual([VERSION, false])
  })

  test('contains its exports with types, and imports only its own files', () => {
    const { types, default: main } = manifest.exports['.']
    for (const path of [types, main]) expect(readFileSync(join(installed, path))).toBeTruthy()
    const files = globSync(join(installed, 'dist/*'))
    const imported = files.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
        ([, name]) => name!,
      ),
    )
    expect(imported.length).toBeGreaterThan(20)
    // TypeScript reads `./lists.ts` in a declaration as `./lists.d.ts`.
    expect(imported.filter((name) => !/^\.\/[\w-]+\.[jt]s$/.test(name))).toEqual([])
  })

  test('has types that compile in a strict project without the types of Node', async () => {
    writeFileSync(
      join(project, 'shop.ts'),
      `import { type Invoice, Tradepost, verifyWebhook } from '@tradepost/sdk'
       const tradepost = new Tradepost({ key: 'sk_test_1', baseUrl: 'http://127.0.0.1:4000' })
       const order = { customerEmail: 'ada@example.com', amount: 1 }
       export const made: Promise<Invoice> = tradepost.invoices.create(order)
       export const event = await verifyWebhook('', {}, 'whsec_')
       // @ts-expect-error an invoice has an amount
       tradepost.invoices.create({ customerEmail: 'a@b.co' })`,
    )
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
    const platform = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom']
    const tsc = join(process.cwd(), 'node_modules/.bin/tsc')
    await run(tsc, [...strict, ...platform, '--types', '', '--noEmit', 'shop.ts'], { cwd: project })
  })

  test('has files of up to 300 lines, except the generated one', () => {
    const files = globSync(['sdk/src/*.ts', 'sdk/generate/*.ts', 'sdk/examples/*.ts'])
    const long = files.filter(
      (path) =>
        path !== 'sdk/src/operations.ts' && readFileSync(path, 'utf8').split('\n').length > 301,
    )
    expect(long).toEqual([])
  })

  test('uses no global that only Node has', async () => {
    const script = `
      const names = ['process', 'Buffer', 'global', 'setImmediate', 'clearImmediate']
      const used = new Set()
      for (const name of names) {
        const value = globalThis[name]
        const get = () => {
          const [, , caller] = new Error().stack.split('\\n')
          if (caller.includes('/sdk/dist/')) used.add(name)
          return value
        }
        Object.defineProperty(globalThis, name, { get, configurable: true })
      }
      const { Tradepost, signWebhook, verifyWebhook } = await import('@tradepost/sdk')
      const { TRADEPOST_URL: baseUrl, TRADEPOST_KEY: key } = process.env
      const tradepost = new Tradepost({ key, baseUrl })
      const made = await tradepost.invoices.create({ customerEmail: 'ada@example.com', amount: 5 })
      const found = await tradepost.invoices.list().toArray({ max: 1 })
      const missing = await tradepost.invoices.get('INV_none').catch((error) => error.name)
      const secret = 'whsec_' + btoa('a secret of an endpoint')
      const body = JSON.stringify({ id: 'evt_1' })
      const headers = await signWebhook(body, { id: 'evt_1', secret })
      const { id } = await verifyWebhook(body, headers, secret)
      console.log([made.reference === found[0].reference, missing, id, used.size].join(' '))`
    writeFileSync(join(project, 'globals.js'), script)
    const { stdout } = await run(process.execPath, ['globals.js'], { cwd: project, env: env() })
    expect(stdout.trim()).toBe('true NotFoundError evt_1 0')
  })
})

describe('the examples', () => {
  const SAYS: Record<string, RegExp> = {
    'list-everything.ts': /^Due: .*\ninvoices: \d+\ntransactions: \d+\n[\s\S]*^banks: [1-9]/m,
    'pay-out.ts': /^Successful: TRF_/m,
    'refund-a-payment.ts': /^Refunded: RFD_[\s\S]*^Refused: 4\d\d \w+/m,
    'sell-a-download.ts': /^Stored: field-guide.txt, 26 bytes\nOn sale: http/m,
    'send-an-invoice.ts':
      /^customerEmail .*\n?[\s\S]*^Sent: INV-[\s\S]*^PDF: \d+ bytes of application.pdf/m,
    'take-a-payment.ts': /^Paid: TRX_/m,
  }

  test('are all tested here', () => {
    const named = examples.filter((path) => !isServer(path)).map((path) => basename(path))
    expect(named).toEqual(Object.keys(SAYS))
  })

  test.each(Object.entries(SAYS))('%s prints what it promises', async (path, says) => {
    const { stdout, stderr } = await run(process.execPath, [path], { cwd: project, env: env() })
    expect(stdout).toMatch(says)
    expect(stderr.replace(/.*Warning.*\n|.*--trace-warnings.*\n/g, '')).toBe('')
  })

  test('pay-out.ts pays the same payslip once, however often it runs', async () => {
    const paid = async () => {
      const { stdout } = await run(process.execPath, ['pay-out.ts'], { cwd: project, env: env() })
      return /^Successful: (TRF_\w+)$/m.exec(stdout)?.[1]
    }
    const first = await paid()
    expect(first).toBeDefined()
    expect(await paid()).toBe(first)
  })

  test('webhook-receiver.ts receives an event of the server, and refuses forged ones', async () => {
    const key = server.business.keys.testSecret
    const { webhooks, invoices } = new Tradepost({ key, baseUrl: server.url })
    const nowhere = 'http://127.0.0.1:1/'
    const { reference, secret } = await webhooks.create({ url: nowhere, events: ['invoice.paid'] })

    const given = env({
      RECEIVER_PORT: '0',
      TRADEPOST_WEBHOOK_SECRET: `${newWebhookSecret()} ${secret}`,
    })
    const child = spawn(process.execPath, ['webhook-receiver.ts'], { cwd: project, env: given })
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const line = async () => (await lines.next()).value as string
      const url = `http://127.0.0.1:${(await line()).replace('Listening on ', '')}/`
      await webhooks.update(reference, { url })
      const invoice = await invoices.create({ customerEmail: 'ada@example.com', amount: 700 })
      await invoices.markPaid(invoice.reference)
      expect(await line()).toBe(`Paid: ${invoice.invoiceNumber}, ₦700`)

      const body = JSON.stringify({ id: 'evt_1', type: 'shop.opened', data: {} })
      const send = (signed: string, seconds = Math.floor(Date.now() / 1000), sent = body) =>
        fetch(url, {
          method: 'POST',
          body: sent,
          headers: {
            'webhook-id': 'evt_1',
            'webhook-timestamp': `${seconds}`,
            'webhook-signature': signaturesOf([signingKeyOf(secret!)], 'evt_1', seconds, signed),
          },
        })
      expect((await send(body.replace('opened', 'closed'))).status).toBe(400)
      expect((await send(body, 1_000_000_000)).status).toBe(400)
      expect((await send(body)).status).toBe(204)
      expect(await line()).toBe('Event: shop.opened evt_1')
      expect((await send(body)).status).toBe(204)
      // What fails is handled when it is sent again.
      const failing = JSON.stringify({ id: 'evt_2', type: 'invoice.paid' })
      expect((await send(failing, undefined, failing)).status).toBe(500)
      const right = JSON.stringify({ id: 'evt_2', type: 'shop.closed', data: {} })
      expect((await send(right, undefined, right)).status).toBe(204)
      expect(await line()).toBe('Event: shop.closed evt_2')
    } finally {
      if (child.exitCode === null && child.kill()) await once(child, 'exit')
    }
  })
})
