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
  Standing,
  Subheading,
  TestBanner,
  Weave,
} from './pieces.tsx'
import { texts } from './texts.ts'
import type { InvoiceLetterView } from './views.ts'

/** Gmail cuts a mail off at 102 kB; the page shows every line. */
const LINES_MAX = 40

interface Props {
  view: InvoiceLetterView
  format: Format
}

/** An invoice, or a reminder of one. */
export function invoiceLetter(view: InvoiceLetterView): Letter {
  const props = { view, format: formatOf(view.currency, texts.locale, view.timeZone) }
  return merchantLetter(view, {
    subject: subjectOf(props),
    preview: standingOf(props),
    body: <Body {...props} />,
    text: plainText(props),
  })
}

const isPaid = ({ dueMinor }: InvoiceLetterView) => dueMinor <= 0n

function subjectOf({ view, format }: Props): string {
  const { number, merchant, dueDate, daysLeft } = view
  const amount = format.amount(isPaid(view) ? view.amountMinor : view.dueMinor)
  const day = dueDate && format.calendarDay(dueDate)
  if (view.purpose === 'invoice') {
    return day && !isPaid(view)
      ? texts.invoiceMail.subjectDue(number, merchant.name, amount, day)
      : texts.invoiceMail.subject(number, merchant.name, amount)
  }
  const t = texts.reminderMail
  if (!day || daysLeft === undefined) return t.subject(amount, merchant.name)
  if (daysLeft > 0) return t.subjectSoon(amount, merchant.name, day)
  if (daysLeft === 0) return t.subjectToday(amount, merchant.name)
  return t.subjectLate(amount, merchant.name, day)
}

function introOf(view: InvoiceLetterView): string {
  const { merchant, daysLeft } = view
  if (view.purpose === 'invoice') {
    const t = texts.invoiceMail
    return isPaid(view) ? t.paidIntro(merchant.name) : t.intro(merchant.name)
  }
  const t = texts.reminderMail
  if (daysLeft === undefined) return t.intro(merchant.name)
  if (daysLeft > 0) return t.soon(merchant.name, daysLeft)
  return daysLeft === 0 ? t.today(merchant.name) : t.late(merchant.name, -daysLeft)
}

const isLate = (view: InvoiceLetterView) => !isPaid(view) && (view.daysLeft ?? 0) < 0

function standingOf({ view, format }: Props): string {
  if (isPaid(view)) return texts.amountPaid
  if (!view.dueDate) return texts.noDueDate
  const day = format.calendarDay(view.dueDate)
  return isLate(view) ? texts.wasDueOn(day) : texts.dueOn(day)
}

function amountOf({ view, format }: Props): { label: string; amount: string } {
  if (isPaid(view)) return { label: texts.amountPaid, amount: format.amount(view.paidMinor) }
  const label = view.paidMinor > 0n ? texts.amountLeft : texts.amountDue
  return { label, amount: format.amount(view.dueMinor) }
}

const actOf = ({ view, format }: Props) =>
  isPaid(view) || !view.payableOnline ? texts.see : texts.pay(format.amount(view.dueMinor))

function Body(props: Props) {
  const { view } = props
  const { color } = view.merchant
  return (
    <>
      <Weave color={color} />
      {view.test && <TestBanner text={texts.testBanner} />}
      <Letterhead from={view.merchant} what={texts.invoice(view.number)} />
      <Card>
        <Paragraph>{texts.greeting(view.customerName)}</Paragraph>
        <Paragraph>{introOf(view)}</Paragraph>
        <Amount {...amountOf(props)} />
        {!isPaid(view) && <Standing text={standingOf(props)} isBad={isLate(view)} />}
        <Button color={color} href={view.hostedUrl} text={actOf(props)} />
        <PlainLink color={color} lead={texts.link} href={view.hostedUrl} />
      </Card>
      <Manual {...props} />
      <Details {...props} />
      {view.purpose === 'reminder' && (
        <Section>
          <Fine>{texts.reminderMail.ignore}</Fine>
        </Section>
      )}
      <Footer merchant={view.merchant} />
    </>
  )
}

/** Where no channel is connected: the account of the business itself. */
function Manual({ view }: Props) {
  const rows = manualRows(view)
  if (rows.length === 0) return null
  return (
    <Section>
      <Subheading>{texts.manual.heading}</Subheading>
      <Rows rows={rows} />
      {view.manual?.instructions && <Paragraph>{view.manual.instructions}</Paragraph>}
    </Section>
  )
}

function manualRows(view: InvoiceLetterView): Row[] {
  const { manual, payableOnline, number } = view
  if (!manual || payableOnline || isPaid(view)) return []
  return [
    { name: texts.manual.bank, value: manual.bankName },
    { name: texts.manual.number, value: manual.accountNumber },
    { name: texts.manual.name, value: manual.accountName },
    { name: texts.manual.reference, value: number },
  ]
}

function Details(props: Props) {
  const { note } = props.view
  const rows = [...linesOf(props), ...sumsOf(props)]
  return (
    <Section>
      <Subheading>{texts.details}</Subheading>
      {note && <Paragraph>{note.split('\n').flatMap(brokenLine)}</Paragraph>}
      <Rows rows={rows} />
    </Section>
  )
}

const brokenLine = (line: string, i: number) => (i === 0 ? [line] : [<br key={line} />, line])

function linesOf({ view, format }: Props): Row[] {
  const rows = view.lineItems
    .slice(0, LINES_MAX)
    .map(({ name, quantity, unitMinor, amountMinor }) => ({
      name,
      under: texts.timesEach(format.count(quantity), format.amount(unitMinor)),
      value: format.amount(amountMinor),
    }))
  const more = view.lineItems.length - rows.length
  return more > 0 ? [...rows, { name: texts.moreLines(more), value: '' }] : rows
}

function sumsOf({ view, format }: Props): Row[] {
  const total = { name: texts.total, value: format.amount(view.amountMinor), strong: true }
  if (view.paidMinor === 0n) return [total]
  return [
    total,
    { name: texts.paidSoFar, value: format.amount(view.paidMinor) },
    { name: texts.amountLeft, value: format.amount(view.dueMinor), strong: true },
  ]
}

function plainManual(view: InvoiceLetterView): string[] {
  const rows = manualRows(view)
  if (rows.length === 0) return []
  const { instructions } = view.manual!
  const lines = rows.map(({ name, value }) => `${name}: ${value}`)
  return [`${texts.manual.heading}:`, ...lines, ...(instructions ? [instructions] : []), '']
}

/** The same for whoever reads without HTML. */
function plainText(props: Props): string {
  const { view } = props
  const { label, amount } = amountOf(props)
  const line = ({ name, under, value }: Row) =>
    [`- ${name}${under ? ` (${under})` : ''}`, value].filter(Boolean).join(': ')
  return [
    ...(view.test ? [texts.testBanner, ''] : []),
    texts.greeting(view.customerName),
    '',
    introOf(view),
    '',
    texts.invoice(view.number),
    `${label}: ${amount}`,
    ...(isPaid(view) ? [] : [standingOf(props)]),
    '',
    `${actOf(props)}:`,
    view.hostedUrl,
    '',
    ...plainManual(view),
    `${texts.details}:`,
    ...(view.note ? [view.note] : []),
    ...linesOf(props).map(line),
    ...sumsOf(props).map(({ name, value }) => `${name}: ${value}`),
    '',
    ...(view.purpose === 'reminder' ? [texts.reminderMail.ignore, ''] : []),
    ...footerLines(view.merchant),
  ].join('\n')
}
