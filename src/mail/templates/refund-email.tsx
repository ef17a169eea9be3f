import { type Format, formatOf } from '../../pages/format.ts'
import { type Language, printLocaleOf } from '../../pages/texts.ts'
import type { EmailContent } from '../email.ts'
import { renderCustomerEmail } from './customer-email.tsx'
import type { Row } from './pieces.tsx'
import { texts } from './texts.ts'
import type { RefundEmailView } from './views.ts'

interface Props {
  view: RefundEmailView
  t: RefundTexts
  format: Format
}

/** Tells the payer about a refund, in the language they paid in. */
export function renderRefundEmail(view: RefundEmailView): EmailContent {
  const t = refundTexts[view.language]
  const format = formatOf(view.currency, printLocaleOf(view.language), view.timeZone)
  const props = { view, t, format }
  const amount = format.amount(view.amountMinor)
  return renderCustomerEmail(view, {
    subject: t.subject(amount, view.merchant.name),
    preview: introOf(props),
    what: t.title,
    testBanner: t.test,
    greeting: t.greeting(view.customerName),
    intro: introOf(props),
    amount: { label: t.amount, amount },
    note: t.wait,
    sections: [{ rows: factsOf(props) }],
    footer: endOf(props),
    language: view.language,
  })
}

function introOf({ view, t, format }: Props): string {
  const { amountMinor, paidMinor, merchant } = view
  const paid = format.amount(paidMinor)
  return amountMinor === paidMinor
    ? t.whole(merchant.name, paid)
    : t.part(merchant.name, format.amount(amountMinor), paid)
}

const factsOf = ({ view, t, format }: Props): Row[] => [
  { name: t.amount, value: format.amount(view.amountMinor), strong: true },
  { name: t.date, value: format.dayAndTime(view.refundedAt) },
  { name: t.payment, value: view.paymentReference },
  { name: t.reference, value: view.reference },
]

const endOf = ({ view, t }: Props): string[] => [
  t.ask(view.merchant.name),
  ...(view.merchant.phone ? [view.merchant.phone] : []),
  texts.poweredBy,
]

interface RefundTexts {
  title: string
  subject(amount: string, merchant: string): string
  greeting(name: string | undefined): string
  /** The wording for a full refund; `part` is for a partial one. */
  whole(merchant: string, paid: string): string
  part(merchant: string, amount: string, paid: string): string
  wait: string
  amount: string
  date: string
  payment: string
  reference: string
  ask(merchant: string): string
  test: string
}

const refundTexts: Record<Language, RefundTexts> = {
  en: {
    title: 'Refund',
    subject: (amount, merchant) => `Refund: ${amount} from ${merchant}`,
    greeting: (name) => (name ? `Hello ${name},` : 'Hello,'),
    whole: (merchant, paid) => `${merchant} has refunded your payment of ${paid}.`,
    part: (merchant, amount, paid) =>
      `${merchant} has refunded ${amount} of your payment of ${paid}.`,
    wait: 'It can take a few days for the money to appear in your bank account.',
    amount: 'Refunded',
    date: 'Date',
    payment: 'Payment',
    reference: 'Refund reference',
    ask: (merchant) => `Questions? Contact ${merchant}.`,
    test: 'Test mode: no real money moved.',
  },
  fr: {
    title: 'Remboursement',
    subject: (amount, merchant) => `Remboursement\u00a0: ${amount} de ${merchant}`,
    greeting: (name) => (name ? `Bonjour ${name},` : 'Bonjour,'),
    whole: (merchant, paid) => `${merchant} vous a remboursé votre paiement de ${paid}.`,
    part: (merchant, amount, paid) =>
      `${merchant} vous a remboursé ${amount} de votre paiement de ${paid}.`,
    wait: 'L’argent peut mettre quelques jours à apparaître sur votre compte bancaire.',
    amount: 'Remboursé',
    date: 'Date',
    payment: 'Paiement',
    reference: 'Référence du remboursement',
    ask: (merchant) => `Des questions\u00a0? Contactez ${merchant}.`,
    test: 'Mode test\u00a0: pas d’argent réel.',
  },
  ha: {
    title: 'Mayar da kuɗi',
    subject: (amount, merchant) => `An mayar da kuɗi: ${amount} daga ${merchant}`,
    greeting: (name) => (name ? `Sannu ${name},` : 'Sannu,'),
    whole: (merchant, paid) => `${merchant} sun mayar muku da kuɗin da kuka biya, ${paid}.`,
    part: (merchant, amount, paid) =>
      `${merchant} sun mayar muku da ${amount} daga cikin ${paid} da kuka biya.`,
    wait: 'Kuɗin na iya ɗaukar ’yan kwanaki kafin ya bayyana a asusun bankinku.',
    amount: 'Kuɗin da aka mayar',
    date: 'Rana',
    payment: 'Biya',
    reference: 'Lambar shaidar mayarwa',
    ask: (merchant) => `Kuna da tambaya? Ku tuntuɓi ${merchant}.`,
    test: 'Gwaji ne: babu kuɗin gaske.',
  },
  yo: {
    title: 'Owó tí a dá padà',
    subject: (amount, merchant) => `A dá owó padà: ${amount} láti ọ̀dọ̀ ${merchant}`,
    greeting: (name) => (name ? `Ẹ ǹlẹ́ ${name},` : 'Ẹ ǹlẹ́,'),
    whole: (merchant, paid) => `${merchant} ti dá ${paid} tí ẹ san padà fún yín.`,
    part: (merchant, amount, paid) =>
      `${merchant} ti dá ${amount} padà fún yín nínú ${paid} tí ẹ san.`,
    wait: 'Ó lè gba ọjọ́ díẹ̀ kí owó náà tó hàn nínú àkáǹtì báńkì yín.',
    amount: 'Owó tí a dá padà',
    date: 'Ọjọ́',
    payment: 'Ìsanwó',
    reference: 'Nọ́ńbà ìtọ́kasí owó tí a dá padà',
    ask: (merchant) => `Ṣé ẹ ní ìbéèrè? Ẹ kàn sí ${merchant}.`,
    test: 'Ìdánwò nìyí: owó gidi kankan kò lọ.',
  },
  ig: {
    title: 'Nkwụghachi ego',
    subject: (amount, merchant) => `Nkwụghachi ego: ${amount} sitere na ${merchant}`,
    greeting: (name) => (name ? `Ndewo ${name},` : 'Ndewo,'),
    whole: (merchant, paid) => `${merchant} enyeghachila gị ${paid} ị kwụrụ.`,
    part: (merchant, amount, paid) =>
      `${merchant} enyeghachila gị ${amount} n’ime ${paid} ị kwụrụ.`,
    wait: 'O nwere ike were ụbọchị ole na ole tupu ego ahụ apụta n’akaụntụ ụlọ akụ gị.',
    amount: 'Ego e nyeghachiri',
    date: 'Ụbọchị',
    payment: 'Ịkwụ ụgwọ',
    reference: 'Nọmba nrụtụaka nkwụghachi',
    ask: (merchant) => `Ị nwere ajụjụ? Kpọtụrụ ${merchant}.`,
    test: 'Nnwale: ọ bụghị ezigbo ego.',
  },
}
