import { type Format, formatOf } from '../../pages/format.ts'
import type { Letter } from '../letter.ts'
import { merchantLetter } from './merchant-letter.ts'
import {
  Amount,
  Button,
  Card,
  Footer,
  footerLines,
  Letterhead,
  Paragraph,
  PlainLink,
  type Row,
  Rows,
  Section,
  Standing,
  TestBanner,
  Weave,
} from './pieces.tsx'
import { texts } from './texts.ts'
import type { ReceiptLetterView } from './views.ts'

interface Props {
  view: ReceiptLetterView
  format: Format
}

/** What a customer has paid, to keep; or, where nothing was due any more, what comes back. */
export function receiptLetter(view: ReceiptLetterView): Letter {
  const props = { view, format: formatOf(view.currency, texts.locale, view.timeZone) }
  const amount = props.format.amount(view.paidMinor)
  const { subject: say } = view.owedBack ? texts.owedBackMail : texts.receiptMail
  return merchantLetter(view, {
    subject: say(amount, view.merchant.name),
    preview: introOf(view),
    body: <Body {...props} />,
    text: plainText(props),
  })
}

function introOf({ number, leftMinor, owedBack }: ReceiptLetterView): string {
  if (owedBack) return texts.owedBackMail[owedBack](number)
  return leftMinor > 0n ? texts.receiptMail.part(number) : texts.receiptMail.whole(number)
}

const labelOf = ({ owedBack }: ReceiptLetterView): string =>
  owedBack ? texts.owedBackMail.amount : texts.receiptMail.amount

/** What the invoice still wants; nothing, where it takes no payment any more. */
const leftOf = ({ leftMinor, owedBack }: ReceiptLetterView) => (owedBack ? 0n : leftMinor)

function factsOf({ view, format }: Props): Row[] {
  const t = texts.receiptMail
  const left_minor = leftOf(view)
  return [
    { name: t.amount, value: format.amount(view.paidMinor), strong: true },
    ...(view.feeMinor > 0n ? [{ name: t.fee, value: format.amount(view.feeMinor) }] : []),
    { name: t.date, value: format.dayAndTime(view.paidAt) },
    { name: t.channel, value: texts.channel[view.channel] },
    { name: t.reference, value: view.reference },
    { name: t.to, value: view.merchant.name },
    { name: t.invoice, value: view.number },
    ...(left_minor > 0n ? [{ name: t.left, value: format.amount(left_minor), strong: true }] : []),
  ]
}

const actOf = (view: ReceiptLetterView): string =>
  leftOf(view) > 0n ? texts.receiptMail.payRest : texts.receiptMail.see

function overOf({ view, format }: Props): string | undefined {
  const { excessMinor, merchant, owedBack } = view
  if (owedBack) return texts.owedBackMail.back(merchant.name)
  return excessMinor > 0n
    ? texts.receiptMail.over(format.amount(excessMinor), merchant.name)
    : undefined
}

function Body(props: Props) {
  const { view, format } = props
  const { color } = view.merchant
  const over = overOf(props)
  return (
    <>
      <Weave color={color} />
      {view.test && <TestBanner text={texts.testReceipt} />}
      <Letterhead from={view.merchant} what={texts.invoice(view.number)} />
      <Card>
        <Paragraph>{texts.greeting(view.customerName)}</Paragraph>
        <Paragraph>{introOf(view)}</Paragraph>
        <Amount label={labelOf(view)} amount={format.amount(view.paidMinor)} />
        {over && <Standing text={over} />}
        <Button color={color} href={view.hostedUrl} text={actOf(view)} />
        <PlainLink color={color} lead={texts.link} href={view.hostedUrl} />
      </Card>
      <Section>
        <Rows rows={factsOf(props)} />
      </Section>
      <Footer merchant={view.merchant} />
    </>
  )
}

function plainText(props: Props): string {
  const { view } = props
  const over = overOf(props)
  return [
    ...(view.test ? [texts.testReceipt, ''] : []),
    texts.greeting(view.customerName),
    '',
    introOf(view),
    '',
    ...factsOf(props).map(({ name, value }) => `${name}: ${value}`),
    '',
    ...(over ? [over, ''] : []),
    `${actOf(view)}:`,
    view.hostedUrl,
    '',
    ...footerLines(view.merchant),
  ].join('\n')
}
