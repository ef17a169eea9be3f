import { type Format, formatOf } from '../../pages/format.ts'
import type { Letter } from '../letter.ts'
import { merchantLetter } from './merchant-letter.ts'
import {
  Amount,
  Button,
  Card,
  Fine,
  Footer,
  footerLines,
  Letterhead,
  Paragraph,
  PlainLink,
  type Row,
  Rows,
  Section,
  Subheading,
  TestBanner,
  Weave,
} from './pieces.tsx'
import { texts } from './texts.ts'
import type { OrderLetterView } from './views.ts'

/** Gmail cuts a mail off at 102 kB; the receipt shows every line. */
const LINES_MAX = 40

interface Props {
  view: OrderLetterView
  format: Format
}

const t = texts.orderMail

/** What a customer has bought and paid, to keep, and the files that are theirs now. */
export function orderLetter(view: OrderLetterView): Letter {
  const props = { view, format: formatOf(view.currency, texts.locale, view.timeZone) }
  const { name } = view.merchant
  const amount = props.format.amount(view.paidMinor)
  return merchantLetter(view, {
    subject: isFree(view) ? t.subjectFree(name) : t.subject(amount, name),
    preview: introOf(view),
    body: <Body {...props} />,
    text: plainText(props),
  })
}

const isFree = ({ paidMinor }: OrderLetterView) => paidMinor === 0n

const introOf = (view: OrderLetterView) =>
  isFree(view) ? t.free(view.merchant.name) : t.paid(view.merchant.name)

function linesOf({ view, format }: Props): Row[] {
  const rows = view.lines.slice(0, LINES_MAX).map(({ name, quantity, unitMinor, amountMinor }) => ({
    name,
    under: texts.timesEach(format.count(quantity), format.amount(unitMinor)),
    value: format.amount(amountMinor),
  }))
  const more = view.lines.length - rows.length
  return more > 0 ? [...rows, { name: texts.moreLines(more), value: '' }] : rows
}

function sumsOf({ view, format }: Props): Row[] {
  const { subtotalMinor, discount, delivery, amountMinor, feeMinor } = view
  const isSummed = subtotalMinor !== amountMinor
  return [
    ...(isSummed ? [{ name: t.subtotal, value: format.amount(subtotalMinor) }] : []),
    ...(discount
      ? [{ name: t.discount(discount.code), value: format.amount(-discount.amountMinor) }]
      : []),
    ...(delivery
      ? [{ name: t.delivery(delivery.location), value: format.amount(delivery.feeMinor) }]
      : []),
    { name: texts.total, value: format.amount(amountMinor), strong: true },
    ...(feeMinor > 0n ? [{ name: t.fee, value: format.amount(feeMinor) }] : []),
  ]
}

function factsOf({ view, format }: Props): Row[] {
  const { delivery, channel, paidAt, reference, merchant } = view
  return [
    { name: texts.receiptMail.date, value: format.dayAndTime(paidAt) },
    ...(channel ? [{ name: texts.receiptMail.channel, value: texts.channel[channel] }] : []),
    { name: texts.receiptMail.reference, value: reference },
    { name: texts.receiptMail.to, value: merchant.name },
    ...(delivery?.address ? [{ name: t.to, value: delivery.address }] : []),
  ]
}

const untilOf = ({ format }: Props, expiresAt: Date | undefined) =>
  expiresAt && t.until(format.dayAndTime(expiresAt))

function Body(props: Props) {
  const { view, format } = props
  const { color } = view.merchant
  return (
    <>
      <Weave color={color} />
      {view.test && <TestBanner text={texts.testReceipt} />}
      <Letterhead from={view.merchant} what={t.order(view.reference)} />
      <Card>
        <Paragraph>{texts.greeting(view.customerName)}</Paragraph>
        <Paragraph>{introOf(view)}</Paragraph>
        <Amount label={texts.receiptMail.amount} amount={format.amount(view.paidMinor)} />
        <Button color={color} href={view.receiptUrl} text={t.see} />
        <PlainLink color={color} lead={texts.link} href={view.receiptUrl} />
        <PlainLink color={color} lead={t.pdf} href={view.pdfUrl} />
      </Card>
      <Downloads {...props} />
      <Section>
        {view.lines.length > 0 && <Subheading>{t.lines}</Subheading>}
        <Rows rows={[...linesOf(props), ...sumsOf(props)]} />
      </Section>
      <Section>
        <Rows rows={factsOf(props)} />
      </Section>
      <Footer merchant={view.merchant} />
    </>
  )
}

function Downloads(props: Props) {
  const { downloads } = props.view
  if (downloads.length === 0) return null
  return (
    <Section>
      <Subheading>{t.downloads}</Subheading>
      {downloads.map((one) => (
        <Download key={one.href} file={one} {...props} />
      ))}
      <Fine>{t.keep}</Fine>
    </Section>
  )
}

function Download({ file, ...props }: Props & { file: OrderLetterView['downloads'][number] }) {
  const { color } = props.view.merchant
  const until = untilOf(props, file.expiresAt)
  return (
    <>
      <PlainLink color={color} lead={`${t.download}: ${file.name}`} href={file.href} />
      {until && <Fine>{until}</Fine>}
    </>
  )
}

/** The same for whoever reads without HTML. */
function plainText(props: Props): string {
  const { view } = props
  const line = ({ name, under, value }: Row) =>
    [`${name}${under ? ` (${under})` : ''}`, value].filter(Boolean).join(': ')
  const downloads = view.downloads.flatMap(({ name, href, expiresAt }) => {
    const until = untilOf(props, expiresAt)
    return [`- ${name}${until ? ` (${until})` : ''}:`, `  ${href}`]
  })
  return [
    ...(view.test ? [texts.testReceipt, ''] : []),
    texts.greeting(view.customerName),
    '',
    introOf(view),
    '',
    ...(view.lines.length > 0 ? [`${t.lines}:`] : []),
    ...linesOf(props).map((row) => `- ${line(row)}`),
    ...sumsOf(props).map(line),
    '',
    ...factsOf(props).map(line),
    '',
    ...(downloads.length > 0 ? [`${t.downloads}:`, ...downloads, t.keep, ''] : []),
    `${t.see}:`,
    view.receiptUrl,
    `${t.pdf}:`,
    view.pdfUrl,
    '',
    ...footerLines(view.merchant),
  ].join('\n')
}
