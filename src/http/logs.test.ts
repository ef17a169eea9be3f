import { beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { exchange, lines } from '../../test/raw.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const SETTINGS = '/api/user-service/external/v1/profile/settings'

const server = await startServer()
const { url, get, post, put, call, business, as, logLines } = server

/** Every value that a client can send somewhere has a unique word. */
const canary = (where: string) => `canary${where}${'x'.repeat(12)}`
const key = (where: string) => ({ 'idempotency-key': canary(where) })

const INVOICE = {
  customerEmail: `${canary('Email')}@example.com`,
  customerName: canary('Name'),
  customerPhone: '+234 803 777 0001',
  amount: 5,
  note: canary('Note'),
  metadata: { [canary('MetaName')]: canary('MetaValue') },
}

const answers: string[] = []
let hostedUrl = ''

/** Sends requests that succeed and fail in every way, with canaries everywhere. */
beforeAll(async () => {
  const keep = async (reply: Promise<{ text: string }>) => void answers.push((await reply).text)
  const created = await post(PATH, INVOICE, key('Key'))
  hostedUrl = created.body.data.hostedUrl
  const token = hostedUrl.split('/').at(-1)!
  await keep(post(PATH, INVOICE, key('Key')))
  await keep(post(PATH, { ...INVOICE, amount: 6 }, key('Key')))
  await keep(post(PATH, { ...INVOICE, note: 5, customerEmail: canary('BadEmail') }))
  await keep(post(PATH, `{"${canary('Json')}":`))
  await keep(post(PATH, `{"a\\u0000${canary('Nul')}":1}`))
  await keep(post(PATH, INVOICE, { authorization: `Bearer sk_test_${canary('BadKey')}` }))
  await keep(post(PATH, INVOICE, { authorization: `Basic ${canary('Basic')}` }))
  await keep(post(PATH, INVOICE, { origin: `https://${canary('Origin')}.example` }))
  await keep(post(PATH, INVOICE, { cookie: canary('Cookie'), 'user-agent': canary('Agent') }))
  await keep(get(`${PATH}/${canary('Reference')}`))
  await keep(get(`${PATH}?search=${canary('Search')}&status=${canary('Status')}`))
  await keep(get(`/${canary('Path')}/%zz`))
  await keep(get(`/i/${canary('Token')}`))
  await keep(fetch(new URL(hostedUrl).pathname.replace(/^/, url)).then(textOf))
  await keep(fetch(`${url}/i/${token}?${canary('PageQuery')}`, { method: 'POST' }).then(textOf))
  await keep(put(SETTINGS, { settlementAccount: { bankCode: '058', accountNumber: '0123777001' } }))
  await keep(put(SETTINGS, { origins: [`https://${canary('Host')}.example`] }))
  await keep(call('DELETE', PATH, { [canary('Delete')]: 1 }))
  await keep(exchange(url, lines(`GET /${canary('Raw')} HTTP/9.9`, `X: ${canary('RawHeader')}`)))
  await keep(as(business.keys.testPublic).get(PATH))
  await keep(as(business.keys.liveSecret).post(PATH, INVOICE))
  await keep(post(PATH, `\ufeff${JSON.stringify(INVOICE)}`))
  await unforeseen(Promise.resolve().then(() => JSON.parse(`{"${canary('Parsed')}":'`)))
  // Errors that our code does not expect, in which PostgreSQL reports values and the whole row.
  await unforeseen(server.db.run`select ${canary('Syntax')}::text::bigint`)
  await unforeseen(server.db
    .run`insert into invoices (business_id, live, id, reference, token, status,
    customer_email, amount_minor, currency, created_at, updated_at)
    select business_id, live, id, reference, token, status, ${canary('Sql')}, amount_minor,
      currency, created_at, updated_at from invoices limit 1`)
})

const unforeseen = (work: Promise<unknown>) =>
  work.catch((error) => server.app.server.log.error({ err: error }, 'failed'))

const textOf = async (response: Response) => ({ text: await response.text() })

describe('the log', () => {
  test('has a line for each request, with the details an operator needs', () => {
    const answered = logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'answered')
    expect(answered.length).toBeGreaterThan(15)
    expect(answered).toContainEqual(
      expect.objectContaining({
        level: 30,
        requestId: expect.stringMatching(/^req_/),
        method: 'POST',
        route: PATH,
        operation: 'create_invoice',
        status: 201,
        ms: expect.any(Number),
        businessId: business.businessId,
        keyId: expect.any(Number),
      }),
    )
  })

  test('contains nothing that a client sent', () => {
    const found = logLines.flatMap((line) => line.match(/canary\w+/g) ?? [])
    // The owner of a leaked key needs the browser's origin to find where it is used.
    expect([...new Set(found)]).toEqual([canary('Origin')])
  })

  test('contains no key, page token, phone number or account number', () => {
    const log = logLines.join('\n')
    for (const secret of Object.values(business.keys))
      expect(log).not.toContain(secret.slice(8, 30))
    expect(log).not.toContain(hostedUrl.slice(-22))
    expect(log).not.toMatch(/0123777001|803 777|Bearer|authorization/i)
  })

  test('contains what helps to fix an error', () => {
    const failed = logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'failed')
    expect(failed.map(({ err }) => err)).toEqual([
      expect.objectContaining({ type: 'SyntaxError', message: expect.stringContaining('JSON') }),
      expect.objectContaining({
        type: 'DatabaseError',
        code: '22P02',
        message: 'invalid input syntax for type bigint: "…"',
        stack: expect.stringContaining('logs.test'),
      }),
      expect.objectContaining({ code: '23502', column: 'allow_partial_payment' }),
    ])
  })

  test('logs expected failures as warnings, without a stack', async () => {
    const path = '/api/transaction-service/v1/bank/resolve?bankCode=058&accountNumber=0123456785'
    const { status, body } = await as(business.keys.liveSecret).get(path)
    expect([status, body.errorCode]).toEqual([503, 'live_provider_missing'])
    const said = logLines
      .map((line) => JSON.parse(line))
      .filter(({ requestId, msg }) => requestId === body.requestId && msg !== 'answered')
    expect(said).toEqual([
      expect.objectContaining({ level: 40, code: 'live_provider_missing', msg: body.message }),
    ])
    expect(said[0]).not.toHaveProperty('err')
  })

  test('has one line per entry, whatever line breaks were sent', () => {
    for (const line of logLines) {
      expect(line.endsWith('\n') && line.indexOf('\n') === line.length - 1).toBe(true)
    }
  })
})

describe('responses', () => {
  test('have no secret key, no hash and no stack', () => {
    const all = answers.join('\n')
    expect(answers.length).toBeGreaterThan(15)
    for (const secret of Object.values(business.keys)) expect(all).not.toContain(secret.slice(8))
    expect(all).not.toMatch(/node_modules|\.ts:\d|at \w+ \(|select [^<>]* from|\\x[0-9a-f]{16}/)
  })
})
