import { type Format, formatOf } from '../../pages/format.ts'
import { printLocaleOf } from '../../pages/texts.ts'
import type { Letter } from '../letter.ts'
import { merchantLetter } from './merchant-letter.ts'
import {
  Amount,
  Card,
  Fine,
  Letterhead,
  Paragraph,
  type Row,
  Rows,
  Section,
  TestBanner,
} from './pieces.tsx'
import { type RefundTexts, refundTexts } from './refund-texts.ts'
import { texts } from './texts.ts'
import type { RefundLetterView } from './views.ts'
import { Weave } from './weave.tsx'

interface Props {
  view: RefundLetterView
  t: RefundTexts
  format: Format
}

/** What a payer gets back, in the language in which they paid. */
export function refundLetter(view: RefundLetterView): Letter {
  const t = refundTexts[view.language]
  const format = formatOf(view.currency, printLocaleOf(view.language), view.timeZone)
  const props = { view, t, format }
  return merchantLetter(
    view,
    {
      subject: t.subject(format.amount(view.amountMinor), view.merchant.name),
      preview: introOf(props),
      body: <Body {...props} />,
      text: plainText(props),
    },
    view.language,
  )
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

function Body(props: Props) {
  const { view, t, format } = props
  return (
    <>
      <Weave color={view.merchant.color} />
      {view.test && <TestBanner text={t.test} />}
      <Letterhead from={view.merchant} what={t.title} />
      <Card>
        <Paragraph>{t.greeting(view.customerName)}</Paragraph>
        <Paragraph>{introOf(props)}</Paragraph>
        <Amount label={t.amount} amount={format.amount(view.amountMinor)} />
        <Paragraph>{t.wait}</Paragraph>
      </Card>
      <Section>
        <Rows rows={factsOf(props)} />
      </Section>
      <Section>
        {endOf(props).map((line) => (
          <Fine key={line}>{line}</Fine>
        ))}
      </Section>
    </>
  )
}

function plainText(props: Props): string {
  const { view, t } = props
  return [
    ...(view.test ? [t.test, ''] : []),
    t.greeting(view.customerName),
    '',
    introOf(props),
    t.wait,
    '',
    ...factsOf(props).map(({ name, value }) => `${name}: ${value}`),
    '',
    ...endOf(props),
  ].join('\n')
}
