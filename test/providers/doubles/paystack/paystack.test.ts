import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { send } from '../../../request.ts'
import { openReceiver } from '../../../webhook-receiver.ts'
import { startDouble } from '../start.ts'
import { paystack } from './paystack.ts'
import { OTP } from './transfers.ts'

const double = await startDouble((kit) => paystack(kit, { ussdTypes: ['737', '919'] }))
const { provider, books, notices } = double
const { payer, bank, refunds, disputes, owner } = provider
const receiver = await openReceiver()
notices.url = receiver.url
receiver.answer = (response, { headers, body }) => {
  const expected = createHmac('sha512', provider.secretKey()).update(body).digest('hex')
  response.writeHead(headers['x-paystack-signature'] === expected ? 200 : 401).end()
}
beforeEach(() => {
  receiver.received.length = 0
})

/** The notices that arrived since the last time, in the order in which they were sent. */
async function arrived() {
  await notices.settled()
  const place = (text: string) => notices.sent.findIndex(({ body }) => body === text)
  const bodies = receiver.received.splice(0).map(({ body }) => body)
  return bodies.sort((a, b) => place(a) - place(b)).map((body) => JSON.parse(body))
}

const call = (method: string, path: string, body?: unknown, key = provider.secretKey()) =>
  send(`${double.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
const get = (path: string) => call('GET', path)
const post = (path: string, body: unknown) => call('POST', path, body)

let made = 0
const newReference = () => `trf-doubles-of-providers-${++made}`
const balance = () => books.balance_minor('NGN')

const startTransfer = async (amount = 500_000) => {
  const reference = newReference()
  const body = { email: 'ada@example.com', amount, reference }
  const bank_transfer = { account_expires_at: inMinutes(30) }
  const { body: answer } = await post('/charge', { ...body, bank_transfer })
  return { reference, ...answer.data }
}
const inMinutes = (minutes: number) =>
  new Date(double.now().getTime() + minutes * 60_000).toISOString()
const verify = async (reference: string) =>
  (await get(`/transaction/verify/${reference}`)).body.data
/** A charge that has been paid. */
const paidCharge = async (amount = 500_000) => {
  const charge = await startTransfer(amount)
  payer.transferTo(charge.account_number, BigInt(amount))
  return charge
}

describe('money in', () => {
  test('an account takes the exact amount once, and says so', async () => {
    const charge = await startTransfer()
    expect(charge).toMatchObject({
      status: 'pending_bank_transfer',
      account_number: expect.stringMatching(/^\d{10}$/),
    })
    expect((await verify(charge.reference)).status).toBe('pending')
    const before = balance()
    expect(payer.transferTo(charge.account_number, 500_000n)).toBe('kept')
    expect(payer.transferTo(charge.account_number, 500_000n)).toBe('returned')
    const paid = await verify(charge.reference)
    // 1.5 % and ₦100, and VAT.
    expect(paid).toMatchObject({ status: 'success', amount: 500_000, fees: 18_813 })
    expect(balance() - before).toBe(500_000n - 18_813n)
    expect(await arrived()).toMatchObject([
      { event: 'charge.success', data: { reference: charge.reference, fees: 18_813 } },
    ])
  })

  test('an account returns another amount, with a notice that names no reference', async () => {
    const charge = await startTransfer()
    expect(payer.transferTo(charge.account_number, 499_999n)).toBe('returned')
    const [notice] = await arrived()
    expect(notice).toMatchObject({
      event: 'bank.transfer.rejected',
      data: { bank_transfer: { amount: '499999', message_type: 'INCORRECT_AMOUNT' } },
    })
    expect(JSON.stringify(notice)).not.toContain(charge.reference)
    expect((await verify(charge.reference)).status).toBe('pending')
  })

  test('an account lasts from 15 minutes to 8 hours, whatever was asked for', async () => {
    const opened = async (minutes: number) => {
      const body = { email: 'ada@example.com', amount: 5_000, reference: newReference() }
      const bank_transfer = { account_expires_at: inMinutes(minutes) }
      return (await post('/charge', { ...body, bank_transfer })).body.data
    }
    expect((await opened(5)).account_expires_at).toBe(inMinutes(15))
    expect((await opened(600)).account_expires_at).toBe(inMinutes(480))
    const late = await startTransfer()
    await double.advance(31 * 60_000)
    expect((await verify(late.reference)).status).toBe('failed')
    expect(payer.transferTo(late.account_number, 500_000n)).toBe('returned')
  })

  test('a USSD code is dialled; a failure has no notice', async () => {
    const start = async (type: string) => {
      const body = { email: 'ada@example.com', amount: 5_000, reference: newReference() }
      return post('/charge', { ...body, ussd: { type } })
    }
    const { data } = (await start('737')).body
    expect(data).toMatchObject({
      status: 'pay_offline',
      ussd_code: expect.stringMatching(/^\*737\*/),
    })
    payer.dial(data.ussd_code, false)
    expect((await verify(data.reference)).status).toBe('failed')
    expect(await arrived()).toEqual([])
    payer.dial(data.ussd_code)
    expect((await verify(data.reference)).status).toBe('success')
    expect((await arrived()).length).toBe(1)
    expect((await start('966')).status).toBe(400)
  })

  test('a hosted page is paid in a browser, once, and leads back', async () => {
    const reference = newReference()
    const { body } = await post('/transaction/initialize', {
      email: 'ada@example.com',
      amount: 250_050,
      reference,
      channels: ['card', 'bank'],
      callback_url: 'http://127.0.0.1:1/i/token/returned?x=1',
    })
    const url = body.data.authorization_url
    expect((await verify(reference)).status).toBe('abandoned')
    const submit = (choice: string) =>
      send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `choice=${choice}`,
      })
    expect((await send(url)).text).toContain('Pay NGN 2500.50')
    expect((await submit('decline')).text).toContain('Declined')
    expect((await verify(reference)).status).toBe('failed')
    const paid = await submit('bank')
    expect([paid.status, paid.headers.get('location')]).toEqual([
      303,
      `http://127.0.0.1:1/i/token/returned?x=1&trxref=${reference}&reference=${reference}`,
    ])
    const before = balance()
    payer.payHosted(url, true, 2)
    expect(balance()).toBe(before)
    expect(await verify(reference)).toMatchObject({ status: 'success', channel: 'bank' })
    expect((await send(url)).text).toContain('You have paid')
    expect((await arrived()).length).toBe(1)
  })

  test('a payer can use their bank', async () => {
    const charge = await startTransfer()
    const transfer = (amount: string) =>
      send(`${double.dashboardUrl}/bank`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ account: charge.account_number, amount }).toString(),
      })
    expect((await transfer('4999.99')).text).toContain('Sent, and returned')
    expect((await transfer('5,000')).text).toContain('Sent')
    expect((await transfer('five')).text).toContain('Enter an amount')
    expect((await verify(charge.reference)).status).toBe('success')
  })

  test('a permanent account takes any amount, each with a reference of Paystack’s', async () => {
    const { data: customer } = (await post('/customer', { email: 'shop@example.com' })).body
    const open = () => post('/dedicated_account', { customer: customer.customer_code })
    expect((await open()).status).toBe(400)
    const named = { first_name: 'Ada', last_name: 'Obi', phone: '+2348012345678' }
    await post('/customer', { email: 'shop@example.com', ...named })
    const { data: account } = (await open()).body
    expect(account).toMatchObject({ account_name: 'SHOP/ADA OBI', assigned: true })
    payer.transferTo(account.account_number, 12_345n)
    payer.transferTo(account.account_number, 67n)
    const list = await get(`/transaction?virtual_account_number=${account.account_number}`)
    expect(list.body.data).toMatchObject([{ amount: 67 }, { amount: 12_345 }])
    const [notice] = await arrived()
    expect(notice.data).toMatchObject({
      channel: 'dedicated_nuban',
      authorization: { receiver_bank_account_number: account.account_number },
    })
    expect((await get('/dedicated_account')).body.data.length).toBe(1)
    expect((await get(`/dedicated_account/${account.id}`)).status).toBe(200)
  })

  test.each([
    [{ reference: 'a_b' }, 400, 'invalid_reference'],
    [{ email: 'nobody' }, 400, 'invalid_email_address'],
    [{ amount: 0 }, 400, 'invalid_amount'],
    [{ currency: 'USD' }, 403, 'unsupported_currency'],
  ])('a charge with %j is refused: %d %s', async (wrong, status, code) => {
    const right = { email: 'ada@example.com', amount: 5_000, reference: newReference() }
    const answer = await post('/transaction/initialize', { ...right, ...wrong })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('a reference is used once', async () => {
    const { reference } = await startTransfer()
    const again = { email: 'ada@example.com', amount: 5_000, reference }
    const answer = await post('/transaction/initialize', again)
    expect(answer.body).toMatchObject({ code: 'duplicate_reference' })
    expect((await get('/transaction/verify/nothing')).body.code).toBe('transaction_not_found')
  })
})

describe('money out', () => {
  const recipient = async (number = '0123456789') => {
    const body = { type: 'nuban', name: 'Ada Obi', account_number: number, bank_code: '058' }
    return (await post('/transferrecipient', body)).body.data.recipient_code
  }
  const order = async (amount = 100_000, reference = newReference()) => {
    const body = { source: 'balance', amount, recipient: await recipient(), reference }
    return { reference, answer: await post('/transfer', body) }
  }
  const look = async (reference: string) => (await get(`/transfer/verify/${reference}`)).body.data
  beforeEach(() => owner.topUp(10_000_000n))

  test('an account has one recipient, and a name', async () => {
    expect(await recipient()).toBe(await recipient())
    expect(await recipient('0123456780')).not.toBe(await recipient())
    const name = await get('/bank/resolve?account_number=0123456789&bank_code=058')
    expect(name.body.data.account_name).toBe('ACCOUNT HOLDER 6789')
    const wrong = await get('/bank/resolve?account_number=9999456789&bank_code=058')
    expect(wrong.status).toBe(422)
    const banks = await get('/bank?country=nigeria&include_nip_sort_code=true&perPage=5')
    expect(banks.body.data[3]).toMatchObject({ code: '058', nip_sort_code: '000013' })
    const rest = '/bank?country=nigeria&use_cursor=true&perPage=5'
    expect((await get(rest)).body.meta.next).toBe('5')
    expect((await get(`${rest}&next=5`)).body.meta.next).toBeNull()
  })

  test('a transfer is paid, then returned', async () => {
    const before = balance()
    const { reference, answer } = await order()
    expect(answer.body.data).toMatchObject({ status: 'pending', reference })
    expect(balance() - before).toBe(-100_000n - 1_000n)
    bank.settle(reference, 'success')
    expect(await look(reference)).toMatchObject({
      status: 'success',
      fee_charged: 1_000,
      session: { provider: 'nip' },
    })
    bank.settle(reference, 'reversed')
    expect(balance()).toBe(before)
    const events = (await arrived()).map(({ event, data }) => [event, data.reference])
    expect(events).toEqual([
      ['transfer.success', reference],
      ['transfer.reversed', reference],
    ])
    expect((await get('/transfer?status=reversed')).body.data[0].reference).toBe(reference)
    expect((await get(`/transfer/${answer.body.data.transfer_code}`)).status).toBe(200)
  })

  test('a transfer can be taken back without ever having been paid', async () => {
    const before = balance()
    const { reference } = await order()
    bank.settle(reference, 'reversed')
    const session = { provider: null, id: null }
    expect(await look(reference)).toMatchObject({ status: 'reversed', fee_charged: 0, session })
    expect(balance()).toBe(before)
    expect(await arrived()).toMatchObject([{ event: 'transfer.reversed', data: { reference } }])
  })

  test.each(['failed', 'blocked', 'rejected', 'abandoned'] as const)(
    'a transfer can end %s, and be paid after that',
    async (status) => {
      const before = balance()
      const { reference } = await order()
      bank.settle(reference, status)
      expect([(await look(reference)).status, balance()]).toEqual([status, before])
      bank.settle(reference, 'success')
      expect((await look(reference)).status).toBe('success')
      expect(books.executed.get(reference)).toBe(1)
    },
  )

  test('a used reference is refused, and nothing is paid twice', async () => {
    const { reference } = await order()
    const before = balance()
    const again = await order(100_000, reference)
    expect([again.answer.status, again.answer.body]).toMatchObject([
      400,
      {
        code: 'duplicate_transfer_reference',
        message: expect.stringMatching(/Reference already exists on a transfer/),
      },
    ])
    expect(balance()).toBe(before)
    expect((await order(100_000, 'short')).answer.status).toBe(400)
    expect((await order(100_000, 'TRF-IN-UPPER-CASE-1')).answer.status).toBe(400)
  })

  test('what was refused for money can be ordered again under its reference', async () => {
    const { reference, answer } = await order(Number(balance()))
    expect(answer.body.message).toBe('Your balance is not enough to fulfil this request')
    expect((await get(`/transfer/verify/${reference}`)).status).toBe(404)
    owner.topUp(1_000_000n)
    expect((await order(100_000, reference)).answer.status).toBe(200)
  })

  test('a code by phone holds transfers up, and batches off', async () => {
    owner.setOtp(true)
    const before = balance()
    const { reference, answer } = await order()
    const body = { source: 'balance', transfers: [] }
    expect((await post('/transfer/bulk', body)).status).toBe(400)
    owner.setOtp(false)
    expect([(await look(reference)).status, balance()]).toEqual(['otp', before])
    expect(books.executed.has(reference)).toBe(false)
    const { transfer_code } = answer.body.data
    const finalize = (otp: string) => post('/transfer/finalize_transfer', { transfer_code, otp })
    expect((await finalize('000000')).status).toBe(400)
    expect((await finalize(OTP)).body.data.status).toBe('pending')
    expect(books.executed.get(reference)).toBe(1)
  })

  test('a batch is taken or refused as a whole', async () => {
    const one = async (reference = newReference()) => {
      return { amount: 100_000, recipient: await recipient(), reference }
    }
    const [first, second] = [await one(), await one()]
    const batch = (transfers: unknown[]) => post('/transfer/bulk', { source: 'balance', transfers })
    const { body } = await batch([first, second])
    expect(body.data).toMatchObject([{ reference: first.reference, status: 'pending' }, {}])
    const third = await one()
    const again = await batch([third, first])
    expect([again.status, again.body.message]).toEqual([
      404,
      `Duplicate reference(s) found: ${first.reference}`,
    ])
    expect((await get(`/transfer/verify/${third.reference}`)).status).toBe(404)
  })

  test('a starter business pays nobody, and a wrong recipient gets nothing', async () => {
    owner.setStarter(true)
    expect((await order()).answer.body.message).toMatch(/starter business/)
    owner.setStarter(false)
    const wrong = { source: 'balance', amount: 100_000, recipient: 'RCP_none' }
    const { body } = await post('/transfer', { ...wrong, reference: newReference() })
    expect(body.code).toBe('invalid_transfer_recipient')
  })
})

describe('refunds', () => {
  test('have no reference: each request makes one, until all is returned', async () => {
    const { reference } = await paidCharge(500_000)
    await arrived()
    const refund = (amount: number, note: string) =>
      post('/refund', { transaction: reference, amount, merchant_note: note })
    const before = balance()
    const first = (await refund(200_000, newReference())).body.data
    expect(first).toMatchObject({ status: 'pending', deducted_amount: 200_000 })
    expect((await refund(300_001, newReference())).status).toBe(400)
    const second = (await refund(300_000, newReference())).body.data
    expect(balance() - before).toBe(-500_000n)
    refunds.settle(`${first.id}`, 'processed')
    expect((await verify(reference)).status).toBe('success')
    refunds.settle(`${second.id}`, 'processed')
    expect((await verify(reference)).status).toBe('reversed')
    const events = (await arrived()).map(({ event, data }) => [event, data.amount])
    expect(events).toEqual([
      ['refund.pending', '200000'],
      ['refund.pending', '300000'],
      ['refund.processed', '200000'],
      ['refund.processed', '300000'],
    ])
    // The id is more than JavaScript's numbers can hold, so the text is compared.
    const { text } = await get(`/transaction/verify/${reference}`)
    const [, id] = /"id":(\d{16})/.exec(text)!
    expect((await get(`/refund?transaction=${id}`)).body.data.length).toBe(2)
    expect((await get(`/transaction/${id}`)).body.data.reference).toBe(reference)
  })

  test('with the same note twice are reported as executed twice', async () => {
    const { reference } = await paidCharge()
    const note = newReference()
    const body = { transaction: reference, amount: 1_000, merchant_note: note }
    await post('/refund', body)
    await post('/refund', body)
    expect(double.takeProblems()).toEqual([`${note} was executed 2 times`])
  })

  test('can fail after all, or need the payer’s account', async () => {
    const { reference } = await paidCharge()
    await arrived()
    const body = { transaction: reference, amount: 1_000, merchant_note: newReference() }
    const { id } = (await post('/refund', body)).body.data
    const before = balance()
    const retry = (bank_id: string) =>
      post(`/refund/retry_with_customer_details/${id}`, {
        refund_account_details: { currency: 'NGN', account_number: '0123456789', bank_id },
      })
    expect((await retry('9')).status).toBe(422)
    refunds.settle(`${id}`, 'needs-attention')
    const [, notice] = await arrived()
    expect(notice).toMatchObject({ event: 'refund.needs-attention', data: { id: `${id}` } })
    // The bank's number, not its code.
    expect((await retry('058')).status).toBe(422)
    expect((await retry('9')).body.data.status).toBe('processing')
    refunds.settle(`${id}`, 'failed')
    expect(balance() - before).toBe(1_000n)
    expect((await get(`/refund/${id}`)).body.data).toMatchObject({
      status: 'failed',
      deducted_amount: 0,
    })
  })

  test('of what nobody paid are refused', async () => {
    const { reference } = await startTransfer()
    expect((await post('/refund', { transaction: reference })).status).toBe(400)
    expect((await post('/refund', { transaction: 'nothing' })).status).toBe(404)
  })
})

describe('disputes', () => {
  const dayMs = 86_400_000
  const evidence = {
    customer_email: 'ada@example.com',
    customer_name: 'Ada Obi',
    customer_phone: '+2348012345678',
    service_details: 'A pair of shoes',
  }

  test('are contested with a file, and won', async () => {
    const { reference } = await paidCharge()
    await arrived()
    const id = disputes.open(reference, 500_000n, dayMs)
    const [opened] = await arrived()
    expect(opened).toMatchObject({
      event: 'charge.dispute.create',
      data: { status: 'awaiting-merchant-feedback', transaction: { reference } },
    })
    const before = balance()
    expect((await post(`/dispute/${id}/evidence`, evidence)).status).toBe(200)
    const unnamed = await get(`/dispute/${id}/upload_url`)
    expect([unnamed.status, unnamed.body.message]).toEqual([400, 'upload_filename is required'])
    const { data } = (await get(`/dispute/${id}/upload_url?upload_filename=proof.pdf`)).body
    const answer = (resolution: string) =>
      call('PUT', `/dispute/${id}/resolve`, {
        resolution,
        message: 'Delivered',
        refund_amount: 0,
        uploaded_filename: data.fileName,
      })
    expect((await answer('declined')).status).toBe(400)
    expect((await send(data.signedUrl, { method: 'PUT', body: '%PDF' })).status).toBe(200)
    expect((await answer('declined')).body.data.status).toBe('awaiting-bank-feedback')
    disputes.decide(id, 'won')
    expect((await get(`/dispute/${id}`)).body.data).toMatchObject({
      status: 'resolved',
      resolution: 'declined',
    })
    expect(balance()).toBe(before)
    expect((await arrived()).map(({ event }) => event)).toEqual(['charge.dispute.resolve'])
  })

  test('are lost when nobody answers in time', async () => {
    const { reference } = await paidCharge()
    await arrived()
    const before = balance()
    const id = disputes.open(reference, 500_000n, dayMs)
    await double.advance(dayMs / 2)
    await double.advance(dayMs / 2)
    expect((await arrived()).map(({ event }) => event)).toEqual([
      'charge.dispute.create',
      'charge.dispute.remind',
      'charge.dispute.resolve',
    ])
    expect(balance() - before).toBe(-500_000n)
    expect((await verify(reference)).status).toBe('reversed')
    const list = await get('/dispute?status=resolved')
    expect(list.body.data[0]).toMatchObject({ id: Number(id), resolution: 'auto-accepted' })
  })

  test('are accepted in part', async () => {
    const { reference } = await paidCharge()
    const id = disputes.open(reference, 500_000n, dayMs)
    const { data } = (await get(`/dispute/${id}/upload_url?upload_filename=proof.pdf`)).body
    await send(data.signedUrl, { method: 'PUT', body: '%PDF' })
    const before = balance()
    const accept = (refund_amount: number) =>
      call('PUT', `/dispute/${id}/resolve`, {
        resolution: 'merchant-accepted',
        message: 'Sorry',
        refund_amount,
        uploaded_filename: data.fileName,
      })
    expect((await accept(500_001)).status).toBe(400)
    expect((await accept(200_000)).status).toBe(200)
    expect((await accept(200_000)).status).toBe(400)
    expect(balance() - before).toBe(-200_000n)
  })
})

describe('the books', () => {
  test('are what the balance, its ledger and the settlements say', async () => {
    const { reference } = await paidCharge(300_000)
    expect((await get('/balance')).body.data).toEqual([
      { currency: 'NGN', balance: Number(balance()) },
    ])
    const [row] = (await get('/balance/ledger')).body.data
    expect(row).toMatchObject({
      balance: Number(balance()),
      model_responsible: 'Transaction',
      difference: 300_000 - (await verify(reference)).fees,
    })
    const before = balance()
    owner.settleToBank()
    expect(balance()).toBe(0n)
    const [settlement] = (await get('/settlement')).body.data
    expect(settlement).toMatchObject({ status: 'success', effective_amount: Number(before) })
    const { total_processed, total_fees, deductions } = settlement
    expect(total_processed - total_fees - (deductions ?? 0)).toBe(Number(before))
    const paid = (await get(`/settlement/${settlement.id}/transactions`)).body.data
    expect(paid.map((one: { reference: string }) => one.reference)).toContain(reference)
  })

  test('are listed by day and by page', async () => {
    const day = double.now()
    await double.advance(86_400_000 * 3)
    await paidCharge()
    await paidCharge()
    const from = new Date(day.getTime() + 86_400_000 * 2).toISOString()
    const page = async (number: number) =>
      (await get(`/transaction?from=${from}&perPage=1&page=${number}`)).body
    expect((await page(1)).meta).toMatchObject({ total: 2, pageCount: 2 })
    expect((await page(2)).data.length).toBe(1)
    expect((await page(3)).data).toEqual([])
  })
})

describe('access', () => {
  test('needs the present key, from an allowed address', async () => {
    const old = provider.secretKey()
    expect((await call('GET', '/balance', undefined, 'sk_test_other')).status).toBe(401)
    owner.rotateKey()
    expect((await call('GET', '/balance', undefined, old)).body.message).toBe('Invalid key')
    expect((await get('/balance')).status).toBe(200)
    owner.allowAddress('203.0.113.9')
    expect((await get('/balance')).status).toBe(403)
    owner.allowAddress(null)
    // Notices are signed with the new key.
    await paidCharge()
    await notices.settled()
    expect(notices.sent.at(-1)?.statuses).toEqual([200])
    expect(await notices.sendSignedWith(old, 'charge.success', { event: 'charge.success' })).toBe(
      401,
    )
  })

  test('over HTTP drives the same payer, bank and owner', async () => {
    const act = (name: string, args: object) =>
      send(`${double.dashboardUrl}/__double/act/${name}`, {
        method: 'POST',
        body: JSON.stringify(args),
      })
    const charge = await startTransfer()
    const args = { account: charge.account_number, amount_minor: '500000' }
    expect((await act('transferTo', args)).body.result).toBe('kept')
    expect((await verify(charge.reference)).status).toBe('success')
    expect((await act('topUp', { amount_minor: '5' })).status).toBe(200)
  })
})
