import { describe, expect, test } from 'vitest'
import { shown, valueIn } from '../../../src/providers/connector/connector.fixture.ts'
import { type Rig, refsOf } from '../rig.ts'

const ODD_AMOUNTS = [1n, 29n, 57n, 123_456_789n, 10_000_000_000_000n]
const HOUR_MS = 3_600_000

export function describeCharges(rig: Rig): void {
  const { connector, subject, double, call, charge, needs } = rig
  const { openAccount, openPage, startUssd, lookUpCharge } = rig
  const { transferTo, dial, payHosted } = subject
  const keepsAnyAmount = connector.depositAmounts === 'any'
  const amountsOf = (state: { payments: readonly { amount_minor: bigint }[] }) =>
    state.payments.map(({ amount_minor }) => amount_minor)

  const idOf = ({ providerId }: { providerId: string }) => providerId

  describe('an account for one payment', () => {
    test('is opened, and Pending until it is paid', async () => {
      const order = charge()
      const account = valueIn(await openAccount(order))
      expect(account).toMatchObject({ accountNumber: expect.stringMatching(/^\d{10}$/) })
      for (const text of [account.accountName, account.bankName]) expect(text).not.toBe('')
      if (account.expiresAt) expect(account.expiresAt).toEqual(order.expiresAt)
      expect(valueIn(await lookUpCharge(order))).toMatchObject({ status: 'Pending', payments: [] })
    })

    needs('payments')('is paid, with what the provider keeps', async () => {
      const order = charge()
      transferTo(valueIn(await openAccount(order)).accountNumber, 500_000n)
      const outcome = await lookUpCharge(order)
      const { status, payments } = valueIn(outcome)
      expect(status).toBe('Successful')
      expect(payments).toEqual([
        {
          providerId: expect.stringMatching(/^\d+$/),
          disposition: 'kept',
          amount_minor: 500_000n,
          currency: 'NGN',
          fee_minor: rig.feeOf(order.reference),
          receivedAt: subject.now(),
          sender: expect.anything(),
        },
      ])
      expect(refsOf(outcome).id).toBe(payments[0]!.providerId)
    })

    needs('payments')('is paid with the exact amount', async () => {
      for (const minor of ODD_AMOUNTS) {
        const order = charge(minor)
        transferTo(valueIn(await openAccount(order)).accountNumber, minor)
        expect(amountsOf(valueIn(await lookUpCharge(order)))).toEqual([minor])
      }
    })

    needs('payments')('has every payment that the provider keeps, as they arrived', async () => {
      const order = charge(250_000n)
      const { accountNumber } = valueIn(await openAccount(order))
      const kept: bigint[] = []
      for (const minor of [100_000n, 250_001n, 250_000n, 250_000n]) {
        if (transferTo(accountNumber, minor) === 'kept') kept.push(minor)
        await subject.advance(1_000)
      }
      expect(kept.length).toBe(keepsAnyAmount ? 4 : 1)
      const { payments } = valueIn(await lookUpCharge(order))
      expect(amountsOf({ payments })).toEqual(kept)
      // Whichever of them is looked up.
      for (const { providerId } of payments) {
        const again = valueIn(await lookUpCharge(order, { id: providerId }))
        expect(again.payments.map(idOf)).toEqual(payments.map(idOf))
      }
    })

    needs('payments')('that is paid too late has no payment', async () => {
      const order = charge()
      const { accountNumber } = valueIn(await openAccount(order))
      await subject.advance(HOUR_MS)
      expect(transferTo(accountNumber, 500_000n)).toBe('returned')
      expect(valueIn(await lookUpCharge(order))).toMatchObject({ payments: [] })
    })
  })

  describe('a USSD code', () => {
    test('is for one bank, and is dialled', async () => {
      const order = charge()
      const started = await startUssd(order)
      const codes = valueIn(started)
      if (rig.has('http'))
        expect(codes.map((one) => one.bankCode)).toEqual([subject.ussdBanks.with])
      const { ussdCode, bankName } = codes[0]!
      expect(ussdCode).toMatch(/^\*[\d*]+#$/)
      expect(bankName).not.toBe('')
      expect(valueIn(await lookUpCharge(order, refsOf(started))).status).toBe('Pending')
      await dial(ussdCode, order.reference)
      const found = valueIn(await lookUpCharge(order, refsOf(started)))
      expect(found.status).toBe('Successful')
      if (rig.has('payments')) expect(amountsOf(found)).toEqual([500_000n])
    })

    needs('http')('that is declined fails, and can still be paid', async () => {
      const order = charge()
      const started = await startUssd(order)
      const { ussdCode } = valueIn(started)[0]!
      await dial(ussdCode, order.reference, false)
      expect(valueIn(await lookUpCharge(order, refsOf(started)))).toMatchObject({
        status: 'Failed',
        payments: [],
      })
      await dial(ussdCode, order.reference)
      expect(valueIn(await lookUpCharge(order, refsOf(started))).status).toBe('Successful')
    })

    needs('http')('is refused for a bank without codes', async () => {
      for (const bankCode of [null, '00000', subject.ussdBanks.without]) {
        const outcome = await startUssd(charge(), bankCode)
        expect(shown(outcome)).toMatch(/^refused (?:unsupported|unknown_bank)$/)
      }
    })
  })

  describe("the provider's page", () => {
    needs('pages')('is paid, and Pending until then', async () => {
      const order = charge()
      const { url, expiresAt } = valueIn(await openPage(order))
      expect(expiresAt).toBeNull()
      expect(await (await fetch(url)).text()).toContain('Pay with card')
      expect(valueIn(await lookUpCharge(order)).status).toBe('Pending')
      expect(payHosted(url)).toContain('https://shop.example/i/token/returned')
      const found = valueIn(await lookUpCharge(order))
      expect([found.status, amountsOf(found)]).toEqual(['Successful', [500_000n]])
    })

    needs('pages')('can be paid after a card was declined', async () => {
      const order = charge()
      const { url } = valueIn(await openPage(order))
      payHosted(url, false)
      const declined = await lookUpCharge(order)
      expect(valueIn(declined)).toMatchObject({ status: 'Pending', payments: [] })
      payHosted(url)
      expect(valueIn(await lookUpCharge(order, refsOf(declined))).payments.length).toBe(1)
    })

    needs('pages')('that is paid in two tabs has every payment that was taken', async () => {
      const order = charge()
      payHosted(valueIn(await openPage(order)).url, true, 2)
      const taken = double!.books.entries.filter(
        (one) => one.kind === 'charge' && one.reference === order.reference,
      )
      expect(valueIn(await lookUpCharge(order)).payments.length).toBe(taken.length)
    })
  })

  describe('a start', () => {
    test('under a used reference is the same, a duplicate, or another account', async () => {
      const order = charge()
      const first = valueIn(await openAccount(order))
      const again = await openAccount(order)
      if (connector.startIsRepeatable) {
        expect(valueIn(again).accountNumber).toBe(first.accountNumber)
      } else if (connector.absence.charge.repeatIsSafe) {
        expect(shown(again)).toBe('unknown duplicate')
        expect(shown(await openPage(order))).toBe('unknown duplicate')
        expect(shown(await startUssd(order))).toBe('unknown duplicate')
      } else {
        for (const { accountNumber } of [first, valueIn(again)]) {
          transferTo(accountNumber, 500_000n)
        }
        expect(valueIn(await lookUpCharge(order)).payments.length).toBe(2)
      }
    })

    needs('http')('with a wrong key is not sent now', async () => {
      const by = () => call({ values: subject.wrongCredentials })
      expect(shown(await openAccount(charge(), by()))).toBe('notNow credentials_refused')
      expect(shown(await openPage(charge(), by()))).toBe('notNow credentials_refused')
    })

    needs('http')('with an error that we do not know is a bad request', async () => {
      const order = charge()
      const wrong = { ...order, payer: { ...order.payer, email: 'nobody' } }
      expect(shown(await openAccount(wrong))).toBe('refused bad_request')
      expect(shown(await openPage(wrong))).toBe('refused bad_request')
    })
  })

  describe('a lookup of a charge', () => {
    test('that the provider does not have finds no payment', async () => {
      const outcome = await lookUpCharge(charge())
      if (outcome.kind === 'done') {
        // Some providers know a charge only when somebody tries to pay it.
        expect(connector.absence.charge.provenAfterMs).toBeNull()
        expect(outcome.value).toMatchObject({ status: 'Pending', payments: [] })
      } else expect(shown(outcome)).toBe('refused unknown_order')
    })

    needs('ids')("by another charge's id does not find its payment", async () => {
      const { refs } = await rig.paidCharge()
      const outcome = await lookUpCharge(charge(), refs)
      if (outcome.kind === 'done') expect(outcome.value.payments).toEqual([])
      else expect(shown(outcome)).toMatch(/^unknown inconclusive$|^refused unknown_order$/)
    })

    needs('http')('with a word that we do not know ends nothing', async () => {
      const { reference, refs } = await rig.paidCharge()
      double!.fault({ on: '*', kind: 'unknown_status' })
      const found = valueIn(await lookUpCharge({ ...charge(), reference }, refs))
      expect(found).toMatchObject({ status: 'Pending', payments: [] })
    })

    needs('http')('without the fee has none yet', async () => {
      const { reference } = await rig.paidCharge()
      double!.fault({ on: '*', kind: 'missing_field', field: subject.feeField })
      const { payments } = valueIn(await lookUpCharge({ ...charge(), reference }))
      expect(payments).toMatchObject([{ fee_minor: null, amount_minor: 500_000n }])
    })

    needs('http')('reports the amount and the currency that arrived', async () => {
      const { reference } = await rig.paidCharge()
      const lookUp = async () => valueIn(await lookUpCharge({ ...charge(), reference })).payments
      const lift = double!.fault({ on: '*', kind: 'wrong_amount' })
      expect((await lookUp())[0]!.amount_minor).not.toBe(500_000n)
      await lift()
      double!.fault({ on: '*', kind: 'other_currency' })
      expect(await lookUp()).toMatchObject([{ currency: 'USD' }])
    })

    needs('http')('is repeated until it succeeds', async () => {
      const { reference } = await rig.paidCharge()
      double!.fault({ on: '*', kind: 'reset_after_read', times: 2 })
      expect(valueIn(await lookUpCharge({ ...charge(), reference })).status).toBe('Successful')
    })
  })
}
