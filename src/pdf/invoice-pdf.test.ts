import { describe, expect, test } from 'vitest'
import { textOf } from '../../test/pdf.ts'
import { draw } from './draw.ts'
import type { InvoicePdfView } from './views.ts'

type More = Partial<Pick<InvoicePdfView, 'payments' | 'customer'>> &
  Partial<InvoicePdfView['invoice']>

/** Returns the text of the PDF, one piece per line. */
async function linesOf({ payments = [], customer, ...more }: More): Promise<string[]> {
  const bytes = await draw({
    test: false,
    merchant: { name: 'Ada Ventures', brand: { color: '#0b5f45' } },
    invoice: {
      number: 'INV-000001',
      reference: 'INV_U4GkqAJZC23khIvwv40Q',
      status: 'Sent',
      lineItems: [],
      amountMinor: 100n,
      paidMinor: 0n,
      dueMinor: 100n,
      currency: 'NGN',
      isOverdue: false,
      createdAt: new Date(0),
      updatedAt: new Date(0),
      ...more,
    },
    customer: customer ?? { email: 'ada@example.com' },
    payments,
    timeZone: 'Africa/Lagos',
    locale: 'en-NG',
  })
  return textOf(bytes).split('\n')
}

const items = (...names: string[]) =>
  names.map((name) => ({ name, quantity: 1, unitAmountMinor: 100n, amountMinor: 100n }))

describe('letters missing from the font', () => {
  test('are boxes, one each, and emoji are left out', async () => {
    const lines = await linesOf({
      customer: { email: 'ada@example.com', name: 'Ada 😀🎉 Obi 👩🏽‍💻' },
      lineItems: items('سجادة', '紅茶 (black tea)', 'Cake 🎂', '🎂', 'हिन्दी', 'Ọṣun ₦ Ω Я ❤'),
    })
    expect(lines).toEqual(
      expect.arrayContaining([
        'Ada Obi',
        '□□□□□',
        '□□ (black tea)',
        'Cake',
        '□',
        '□□□',
        'Ọṣun ₦ Ω Я ❤',
      ]),
    )
  })

  test('take the space that they were given', async () => {
    const name = 'محمد'.repeat(12)
    const lines = await linesOf({ customer: { email: 'ada@example.com', name } })
    const boxes = lines.filter((line) => /^□+$/.test(line))
    expect(boxes.join('')).toBe('□'.repeat(48))
    expect(boxes.length).toBeGreaterThan(2)
  })
})

test('letters can be copied whatever was drawn before', async () => {
  // This comma contains the shape of the apostrophe.
  await linesOf({ lineItems: items('Rice, beans') })
  expect(await linesOf({ lineItems: items('Ada’s rice') })).toContain('Ada’s rice')
})

describe('text that belongs together', () => {
  test('stays on one line: the largest amounts, and references', async () => {
    const amountMinor = 10_000_000_000_000n
    const reference = 'TRX_mGkqAJZC23khIvwv40QW'
    const wide = 'INV_WWoeTFYJDAJokCMIGnSW'
    const paid = { reference, channel: 'OFFLINE', paidAt: new Date(0), kind: 'Payment' } as const
    const lines = await linesOf({
      reference: wide,
      amountMinor,
      paidMinor: amountMinor,
      dueMinor: 0n,
      status: 'Paid',
      paidAt: new Date(0),
      lineItems: [{ name: 'A port', quantity: 1, unitAmountMinor: amountMinor, amountMinor }],
      payments: [{ ...paid, amountMinor }],
    })
    const whole = lines.filter((line) => line === '₦100,000,000,000.00')
    expect(whole).toHaveLength(6)
    expect(lines).toEqual(expect.arrayContaining([reference, wide]))
  })
})

test('a cancelled invoice shows its total and that nothing is due', async () => {
  const lines = await linesOf({ status: 'Void', voidedAt: new Date(0), amountMinor: 5_000_00n })
  expect(lines).not.toContain('Nothing to pay')
  expect(lines).toEqual(expect.arrayContaining(['Total', '₦5,000.00', 'CANCELLED']))
  expect(lines.join(' ')).toContain('there’s nothing to pay')
})

test('a payment shows how much of it will be refunded', async () => {
  const paid = { channel: 'USSD', paidAt: new Date(0), amountMinor: 12_500_00n } as const
  const lines = await linesOf({
    status: 'Paid',
    payments: [
      { ...paid, reference: 'TRX_1', kind: 'Payment', owedBackMinor: 2_500_00n },
      { ...paid, reference: 'TRX_2', kind: 'Overpayment' },
      { ...paid, reference: 'TRX_3', kind: 'Payment', owedBackMinor: 0n },
    ],
  })
  const said = lines.join(' ')
  expect(said).toMatch(/USSD +· +₦2,500\.00 to be refunded TRX_1/)
  expect(said).toMatch(/USSD +· +to be refunded TRX_2/)
  expect(said).toMatch(/USSD TRX_3/)
})
