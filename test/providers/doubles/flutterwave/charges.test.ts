import { describe, expect, test } from 'vitest'
import { fc } from '../../../property.ts'
import { send } from '../../../request.ts'
import { startAccount } from './account.fixture.ts'
import { type Settings, settledOf, withFees } from './account.ts'

const { double, call, get, post, newReference, balance, arrived } = await startAccount()
const { provider, notices } = double
const { payer, refunds, disputes, owner } = provider

const payment = (amount: number, reference = newReference()) => ({
  tx_ref: reference,
  amount,
  currency: 'NGN',
  email: 'ada@example.com',
})
const startTransfer = async (amount = 5_000, more: object = {}) => {
  const order = payment(amount)
  const { body } = await post('/charges?type=bank_transfer', { ...order, ...more })
  return { reference: order.tx_ref, body, ...body.meta.authorization }
}
const startHosted = async (amount = 2_500.5, more: object = {}) => {
  const { email, ...order } = payment(amount)
  const { body } = await post('/payments', {
    ...order,
    redirect_url: 'http://127.0.0.1:1/i/token/returned?x=1',
    customer: { email },
    ...more,
  })
  return { reference: order.tx_ref, url: body.data.link }
}
const verify = (reference: string) => get(`/transactions/verify_by_reference?tx_ref=${reference}`)
const verified = async (reference: string) => (await verify(reference)).body.data
const listed = async (reference: string) =>
  (await get(`/transactions?tx_ref=${reference}`)).body.data
/** A payment of which the money is still to be settled. */
const paid = async (amount = 5_000) => {
  const charge = await startTransfer(amount)
  payer.transferTo(charge.transfer_account, BigInt(amount * 100))
  await arrived()
  return { ...charge, ...(await verified(charge.reference)) }
}
const balances = async () => (await get('/balances/NGN')).body.data
const emptyWallet = async () =>
  owner.topUp(-BigInt(Math.round((await balances()).available_balance * 100)))

describe('money in', () => {
  test('an account is no transaction until somebody pays', async () => {
    const { reference, body, ...charge } = await startTransfer()
    expect(charge).toMatchObject({
      mode: 'banktransfer',
      transfer_amount: '5000.00',
      transfer_bank: 'WEMA BANK',
      account_expiration: double.now().getTime() + 3_600_000,
    })
    expect('data' in body).toBe(false)
    const unknown = await verify(reference)
    expect([unknown.status, unknown.body]).toEqual([
      400,
      { status: 'error', message: 'No transaction was found for this id', data: null },
    ])
    const before = balance()
    expect(payer.transferTo(charge.transfer_account, 500_000n)).toBe('kept')
    const transaction = await verified(reference)
    // 2 %, and VAT that only the settled amount shows.
    expect(transaction).toMatchObject({
      status: 'successful',
      amount: 5_000,
      charged_amount: 5_000,
      app_fee: 100,
      amount_settled: 4_892.5,
      payment_type: 'bank_transfer',
      tx_ref: reference,
      meta: { originatorname: 'ADA OBI' },
    })
    expect(balance() - before).toBe(489_250n)
    expect((await get(`/transactions/${transaction.id}/verify`)).body.data).toEqual(transaction)
    expect(await arrived()).toMatchObject([
      {
        event: 'charge.completed',
        'event.type': 'BANK_TRANSFER_TRANSACTION',
        data: { id: transaction.id, tx_ref: reference, status: 'successful' },
        meta_data: { originatoraccountnumber: '0123456553' },
      },
    ])
  })

  test('an account keeps any amount, any number of times, until it expires', async () => {
    const { reference, transfer_account } = await startTransfer(100, { expires: 600 })
    expect(payer.transferTo(transfer_account, 9_999n)).toBe('kept')
    expect(payer.transferTo(transfer_account, 29n)).toBe('kept')
    expect((await verified(reference)).amount).toBe(0.29)
    const [newest, oldest] = await listed(reference)
    expect([newest.amount, oldest.amount, oldest.app_fee]).toEqual([0.29, 99.99, 2])
    expect(newest.id).not.toBe(oldest.id)
    await double.advance(600_000)
    expect(payer.transferTo(transfer_account, 10_000n)).toBe('returned')
  })

  test('amounts are naira, and their fees have three decimals', async () => {
    const { reference, transfer_account } = await startTransfer(1_234.57)
    payer.transferTo(transfer_account, 123_457n)
    const { text } = await verify(reference)
    expect(text).toContain('"amount":1234.57,')
    expect(text).toContain('"app_fee":24.691,')
    // 1234.57 less 24.691 and VAT of 1.852 is 1208.027.
    expect(text).toContain('"amount_settled":1208.02,')
    const most = await startTransfer(1_000_000)
    payer.transferTo(most.transfer_account, 100_000_000n)
    expect(await verified(most.reference)).toMatchObject({
      app_fee: 2_000,
      amount_settled: 997_850,
    })
  })

  test('a payer can pay the fees on top', async () => {
    owner.set({ feesPaidBy: 'payer' })
    const charge = await startTransfer(5_000)
    expect(charge.transfer_amount).toBe('5109.87')
    payer.transferTo(charge.transfer_account, 510_987n)
    owner.set({ feesPaidBy: 'business' })
    expect(await verified(charge.reference)).toMatchObject({
      amount: 5_000,
      charged_amount: 5_109.87,
      amount_settled: 5_000,
    })
  })

  test('fees that a payer pays leave exactly the amount', () => {
    const account = { settings: { feesPaidBy: 'payer' } as Settings }
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 12n }), (amount) => {
        expect(settledOf(withFees(account, amount))).toBe(amount)
      }),
    )
  })

  test('a USSD code is of one bank; a failure is a completed charge, too', async () => {
    const start = (account_bank: string) =>
      post('/charges?type=ussd', { ...payment(1_500), account_bank })
    const { data, meta } = (await start('057')).body
    expect(data).toMatchObject({ status: 'pending', payment_type: 'ussd' })
    expect(meta.authorization).toEqual({ mode: 'ussd', note: `*966*000*${data.payment_code}#` })
    payer.dial(meta.authorization.note, false)
    expect((await verified(data.tx_ref)).status).toBe('failed')
    payer.dial(meta.authorization.note)
    expect((await verified(data.tx_ref)).status).toBe('successful')
    expect((await arrived()).map((one) => [one.event, one.data.status])).toEqual([
      ['charge.completed', 'failed'],
      ['charge.completed', 'successful'],
    ])
    expect((await start('090267')).status).toBe(400)
  })

  test('a hosted page is paid in a browser, and leads back', async () => {
    const { reference, url } = await startHosted(2_500.5, { payment_options: 'card, ussd' })
    const submit = (choice: string) =>
      send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `choice=${choice}`,
      })
    const { text } = await send(url)
    expect(text).toContain('Pay NGN 2500.50')
    expect([text.includes('Pay with card'), text.includes('bank transfer')]).toEqual([true, false])
    const back = 'http://127.0.0.1:1/i/token/returned?x=1'
    const left = await submit('cancel')
    expect(left.headers.get('location')).toBe(`${back}&status=cancelled&tx_ref=${reference}`)
    expect((await verify(reference)).status).toBe(400)
    expect((await submit('decline')).text).toContain('Declined')
    expect((await verified(reference)).status).toBe('failed')
    const paid = await submit('card')
    const { id, payment_type } = await verified(reference)
    expect([paid.status, paid.headers.get('location'), payment_type]).toEqual([
      ...[303, `${back}&status=successful&tx_ref=${reference}&transaction_id=${id}`, 'card'],
    ])
    expect((await send(url)).text).toContain('You have paid')
  })

  test('a hosted page that two tabs pay is paid twice, under one reference', async () => {
    const { reference, url } = await startHosted(100)
    const before = balance()
    payer.payHosted(url, true, 2, 'bank_transfer')
    expect(balance() - before).toBe(2n * 9_785n)
    expect((await listed(reference)).length).toBe(2)
    expect((await arrived()).length).toBe(2)
    // A look-up by reference shows the newest, even if an older one is paid.
    payer.payHosted(url, false)
    expect((await verified(reference)).status).toBe('failed')
  })

  test('a payer can use their bank', async () => {
    const { reference, transfer_account } = await startTransfer()
    const transfer = (amount: string) =>
      send(`${double.dashboardUrl}/bank`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ account: transfer_account, amount }).toString(),
      })
    expect((await transfer('4,999.99')).text).toContain('Sent')
    expect((await verified(reference)).amount).toBe(4_999.99)
  })

  test('a permanent account needs a BVN, and each deposit has the account’s reference', async () => {
    const open = (more: object) =>
      post('/virtual-account-numbers', {
        email: 'shop@example.com',
        currency: 'NGN',
        tx_ref: 'shop-1',
        is_permanent: true,
        ...more,
      })
    expect((await open({})).status).toBe(400)
    const { data } = (await open({ bvn: '12345678901' })).body
    expect(data).toMatchObject({ amount: null, expiry_date: 'N/A', frequency: 'N/A' })
    payer.transferTo(data.account_number, 12_345n)
    payer.transferTo(data.account_number, 67n)
    expect((await arrived()).map((one) => [one.data.tx_ref, one.data.amount])).toEqual([
      ['shop-1', 123.45],
      ['shop-1', 0.67],
    ])
    const { body } = await get(`/virtual-account-numbers/${data.order_ref}`)
    expect(body.data.account_number).toBe(data.account_number)
    const once = await open({ is_permanent: false, amount: 100, frequency: 1 })
    expect(once.body.data).toMatchObject({ amount: '100.00', frequency: 1 })
    const { account_number } = once.body.data
    expect(payer.transferTo(account_number, 10_000n)).toBe('kept')
    expect(payer.transferTo(account_number, 10_000n)).toBe('returned')
  })

  test.each([
    [{ email: 'nobody' }, /email/],
    [{ amount: 0 }, /amount/],
    [{ amount: 10.001 }, /amount/],
    [{ currency: 'USD' }, /USD/],
  ])('a charge with %j is refused', async (wrong, message) => {
    const answer = await post('/charges?type=bank_transfer', { ...payment(5_000), ...wrong })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ status: 'error', message: expect.stringMatching(message) })
  })

  test('an amount as text is not as described', async () => {
    await post('/charges?type=bank_transfer', { ...payment(5_000), amount: '5000' })
    expect(double.takeProblems()).toEqual(['POST /charges: amount must be number'])
  })

  test('a notice can be sent again', async () => {
    const { id } = await paid()
    expect((await post(`/transactions/${id}/resend-hook`, undefined)).body.data).toBe('hook sent')
    expect(await arrived()).toMatchObject([{ data: { id } }])
  })
})

describe('refunds', () => {
  test('are completed when they are only taken, and have no reference', async () => {
    const { id } = await paid(5_000)
    owner.settleToWallet()
    const refund = (amount: number, comments: string) =>
      post(`/transactions/${id}/refund`, { amount, comments })
    const before = balance()
    const first = (await refund(2_000, newReference())).body.data
    expect(first).toMatchObject({ status: 'completed', amount_refunded: 2_000, tx_id: id })
    expect((await refund(3_000.01, newReference())).status).toBe(400)
    const comment = newReference()
    const second = (await refund(3_000, comment)).body.data
    expect(balance() - before).toBe(-500_000n)
    refunds.settle(`${first.id}`, 'completed-bank-transfer')
    expect((await get(`/refunds/${first.id}`)).body.data.status).toBe('completed-bank-transfer')
    const found = (await get(`/refunds?id=${id}`)).body.data
    expect(found).toMatchObject([
      { id: second.id, transaction_id: id, comment, status: 'completed' },
      { id: first.id, transaction_id: id },
    ])
    // The transaction itself does not say that it was refunded.
    expect((await get(`/transactions/${id}/verify`)).body.data.status).toBe('successful')
    expect(await arrived()).toMatchObject([
      { id: first.id, AmountRefunded: 2_000, TransactionId: id, status: 'completed' },
      { id: second.id },
      { id: first.id, status: 'completed-bank-transfer' },
    ])
  })

  test('with the same comment twice are reported as executed twice', async () => {
    const { id } = await paid()
    const comments = newReference()
    await post(`/transactions/${id}/refund`, { amount: 1, comments })
    await post(`/transactions/${id}/refund`, { amount: 1, comments })
    expect(double.takeProblems()).toEqual([`${comments} was executed 2 times`])
  })

  test('can fail after all, and come from what is not settled yet', async () => {
    owner.settleToBank()
    await emptyWallet()
    const { id } = await paid()
    const ledgerBalance = async () => (await balances()).ledger_balance
    const before = await ledgerBalance()
    const { data } = (await post(`/transactions/${id}/refund`, { amount: 4_000 })).body
    expect(data.meta.source).toBe('ledgerbalance')
    expect(before - (await ledgerBalance())).toBe(4_000)
    refunds.settle(`${data.id}`, 'failed')
    expect(await ledgerBalance()).toBe(before)
    refunds.settle(`${data.id}`, 'successful')
    expect((await get(`/refunds/${data.id}`)).body.data.status).toBe('successful')
    expect(await ledgerBalance()).toBeLessThan(before)
    expect((await post('/transactions/1/refund', { amount: 1 })).body.message).toMatch(/found/)
  })
})

describe('chargebacks', () => {
  const dayMs = 86_400_000
  const respond = (id: string, action: 'accept' | 'decline') =>
    call('PUT', `/chargebacks/${id}`, {
      action,
      comment: 'Delivered',
      prooflink: 'https://shop.example/proof.pdf',
    })
  /** There is no way to fetch a single one. */
  const ofTransaction = async (id: number) => (await get(`/chargebacks?id=${id}`)).body.data

  test('take the money at once, and give it back when they are won', async () => {
    const { reference, id: transaction } = await paid()
    const before = balance()
    const id = disputes.open(reference, 500_000n, 2 * dayMs)
    expect(before - balance()).toBe(500_000n)
    const [opened] = (await get('/chargebacks?status=initiated')).body.data
    expect(opened).toMatchObject({
      id: Number(id),
      amount: 5_000,
      transaction_id: transaction,
      tx_ref: reference,
      due_date: new Date(double.now().getTime() + 2 * dayMs).toISOString(),
    })
    expect((await respond(id, 'decline')).body.data.status).toBe('declined')
    expect((await respond(id, 'accept')).status).toBe(400)
    disputes.decide(id, 'won')
    expect(balance()).toBe(before)
    expect(await ofTransaction(transaction)).toMatchObject([{ id: Number(id), status: 'won' }])
    expect((await arrived()).map(({ event }) => event)).toEqual([
      'chargeback.initiated',
      'chargeback.declined',
      'chargeback.won',
    ])
  })

  test('are contested with a file, which gets an address', async () => {
    const upload = (name: string, field = 'image') =>
      send(`${double.baseUrl}/upload_image`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${provider.secretKey()}`,
          'content-type': 'multipart/form-data; boundary=x',
        },
        body: `--x\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n%\r\n--x--`,
      })
    expect((await upload('proof.png')).body.data).toMatch(/\/proof\/\d+$/)
    expect((await upload('proof.exe')).body.message).toBe('Image is not in required format')
    await upload('proof.png', 'file')
    await post('/upload_image', {})
    expect(double.takeProblems()).toEqual([
      'POST /upload_image: the form has no file image',
      'POST /upload_image: the content type is not multipart/form-data',
    ])
  })

  test('are lost when nobody answers in time, or are accepted', async () => {
    const { reference, id } = await paid()
    const before = balance()
    const lost = disputes.open(reference, 200_000n, dayMs)
    const accepted = disputes.open(reference, 100_000n, 2 * dayMs)
    expect((await respond(accepted, 'accept')).body.message).toBe('Chargeback accepted')
    await double.advance(2 * dayMs)
    expect(await ofTransaction(id)).toMatchObject([
      { id: Number(accepted), status: 'accepted' },
      { id: Number(lost), status: 'lost' },
    ])
    expect(before - balance()).toBe(300_000n)
  })

  test('are listed by status, by day and by payment, and never fetched alone', async () => {
    const { reference, id, flw_ref } = await paid()
    const opened = disputes.open(reference, 100_000n, dayMs)
    const day = new Date(double.now().getTime() + 3_600_000).toISOString().slice(0, 10)
    const found = async (query: string) =>
      (await get(`/chargebacks?${query}`)).body.data.map((one: { id: number }) => `${one.id}`)
    for (const query of [`id=${id}`, `flw_ref=${flw_ref}`]) {
      expect(await found(query)).toEqual([opened])
      expect(await found(`${query}&status=initiated&currency=NGN&from=${day}&to=${day}`)).toEqual([
        opened,
      ])
      expect(await found(`${query}&status=won`)).toEqual([])
      expect(await found(`${query}&currency=USD`)).toEqual([])
      expect(await found(`${query}&to=2020-01-01`)).toEqual([])
    }
    const { status, body } = await get(`/chargebacks/${opened}`)
    expect([status, body]).toEqual([404, { message: 'no Route matched with those values' }])
    expect(double.takeProblems()).toEqual([`GET /chargebacks/${opened}: is not described`])
  })
})

describe('the books', () => {
  test('have two balances, of which only the wallet pays', async () => {
    owner.settleToBank()
    const old = await balances()
    await paid(5_000)
    const collected = await balances()
    expect(collected.ledger_balance - old.ledger_balance).toBe(4_892.5)
    expect(collected.available_balance).toBe(old.available_balance)
    owner.settleToWallet()
    expect(await balances()).toMatchObject({
      available_balance: old.available_balance + 4_892.5,
      ledger_balance: 0,
    })
  })

  test('are what settlements say, with the fees’ VAT and what was taken', async () => {
    owner.settleToBank()
    await emptyWallet()
    const { id, reference } = await paid(5_000)
    await post(`/transactions/${id}/refund`, { amount: 1_000 })
    disputes.open(reference, 50_000n, 86_400_000)
    const before = balance()
    owner.settleToBank()
    expect(balance()).toBe(0n)
    const [settlement] = (await get('/settlements')).body.data
    expect(settlement).toMatchObject({
      gross_amount: 5_000,
      app_fee: 107.5,
      refund: 1_000,
      chargeback: 500,
      net_amount: 3_392.5,
      destination: 'account',
      status: 'completed',
      meta: [id],
    })
    expect(BigInt(settlement.net_amount * 100)).toBe(before)
    const { transactions } = (await get(`/settlements/${settlement.id}`)).body.data
    expect(transactions).toMatchObject([{ id, settlement_amount: 4_892.5, app_fee: 100 }])
  })

  test('are listed by day of Lagos and by page of ten', async () => {
    await double.advance(5 * 86_400_000)
    const day = new Date(double.now().getTime() + 3_600_000).toISOString().slice(0, 10)
    const { transfer_account } = await startTransfer(1)
    for (let i = 0; i < 11; i++) payer.transferTo(transfer_account, 100n)
    const page = async (number: number) =>
      (await get(`/transactions?from=${day}&to=${day}&page=${number}`)).body
    expect((await page(1)).meta.page_info).toEqual({ total: 11, current_page: 1, total_pages: 2 })
    expect([(await page(1)).data.length, (await page(2)).data.length]).toEqual([10, 1])
    await get('/transactions?from=2026-11-02T09:00:00Z')
    expect(double.takeProblems().join()).toMatch(/from must match pattern/)
  })
})

describe('notices', () => {
  test('prove who sent them; newer accounts sign them, too', async () => {
    await paid()
    expect(notices.sent.at(-1)?.statuses).toEqual([200])
    await expect(notices.forge('changed_body')).rejects.toThrow('do not prove their body')
    expect(await notices.forge('other_key')).toBe(401)
    owner.set({ signs: true })
    await paid()
    expect(notices.sent.at(-1)?.statuses).toEqual([200])
    expect(await notices.forge('changed_body')).toBe(401)
    expect(await notices.forge('other_signature')).toBe(401)
    owner.set({ signs: false })
    const old = provider.secretHash()
    owner.rotateHash()
    expect(await notices.sendSignedWith(old, 'refund', { id: 1 })).toBe(401)
  })

  test('are sent again only if the owner has switched it on', async () => {
    const { url } = notices
    notices.url = 'http://127.0.0.1:1'
    await paid()
    await double.advance(3_600_000)
    expect(notices.sent.at(-1)?.statuses).toEqual([0])
    owner.set({ retriesNotices: true })
    await paid()
    for (let i = 0; i < 5; i++) await double.advance(30 * 60_000)
    expect(notices.sent.at(-1)?.statuses).toEqual([0, 0, 0, 0])
    owner.set({ retriesNotices: false })
    notices.url = url
  })
})
