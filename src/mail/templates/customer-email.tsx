import { displayName, type EmailContent, headerText } from '../email.ts'
import {
  Amount,
  Button,
  Card,
  footerLines,
  Letterhead,
  Paragraph,
  PlainLink,
  type Row,
  Rows,
  renderShell,
  Section,
  SmallPrint,
  StatusText,
  Subheading,
  TestBanner,
  WovenEdge,
} from './pieces.tsx'
import { texts } from './texts.ts'
import type { EmailView } from './views.ts'

/** The content of an email from a merchant to a customer, in reading order. */
export interface Content {
  subject: string
  /** The text that mailboxes show next to the subject. */
  preview: string
  /** What the email is about: `Invoice INV-000123`. */
  what: string
  testBanner: string
  greeting: string
  intro: string
  amount: { label: string; amount: string }
  standing?: { text: string; isBad?: boolean } | undefined
  act?: { text: string; href: string }
  links?: readonly { lead: string; href: string }[]
  /** Appears below the amount. */
  note?: string
  sections: readonly (SectionContent | undefined)[]
  /** The contact details, unless the wording already contains them. */
  footer?: readonly string[]
  language?: string
}

interface SectionContent {
  heading?: string | undefined
  text?: string | null | undefined
  /** Rows that list things of the same kind, such as an invoice's lines. */
  items?: readonly Row[]
  rows?: readonly Row[]
  /** Appears below the rows. */
  more?: string | null | undefined
  links?: readonly { lead: string; href: string; until?: string | undefined }[]
  fine?: string
}

/** Renders the email as HTML and as plain text. Test emails are marked as such in the subject. */
export function renderCustomerEmail({ merchant, test }: EmailView, content: Content): EmailContent {
  const subject = headerText(content.subject)
  const { preview, language, footer = footerLines(merchant) } = content
  const sections = content.sections.filter((section) => section !== undefined)
  const props = { ...content, merchant, test, footer, sections }
  const body = <Body {...props} />
  return {
    fromName: displayName(merchant.name),
    replyTo: merchant.email,
    subject: test ? texts.testSubject(subject) : subject,
    html: renderShell({ title: subject, color: merchant.color, language, preview, body }),
    text: plainText(props),
  }
}

interface Props extends Content, Pick<EmailView, 'merchant' | 'test'> {
  footer: readonly string[]
  sections: readonly SectionContent[]
}

function Body({ merchant, test, act, standing, links = [], note, sections, ...content }: Props) {
  const { color } = merchant
  return (
    <>
      <WovenEdge color={color} />
      {test && <TestBanner text={content.testBanner} />}
      <Letterhead from={merchant} what={content.what} />
      <Card>
        <Paragraph>{content.greeting}</Paragraph>
        <Paragraph>{content.intro}</Paragraph>
        <Amount {...content.amount} />
        {standing && <StatusText {...standing} />}
        {act && <Button color={color} {...act} />}
        {act && <PlainLink color={color} lead={texts.link} href={act.href} />}
        {links.map((link) => (
          <PlainLink key={link.href} color={color} {...link} />
        ))}
        {note && <Paragraph>{note}</Paragraph>}
      </Card>
      {sections.map((section, i) => (
        <Part key={i} color={color} {...section} />
      ))}
      <Section>
        {content.footer.map((line) => (
          <SmallPrint key={line}>{line}</SmallPrint>
        ))}
      </Section>
    </>
  )
}

function Part({ color, ...section }: SectionContent & { color: string | undefined }) {
  const { heading, text, items = [], rows = [], more, links = [], fine } = section
  const all = [...items, ...rows]
  return (
    <Section>
      {heading && <Subheading>{heading}</Subheading>}
      {text && <Paragraph>{text.split('\n').flatMap(brokenLine)}</Paragraph>}
      {all.length > 0 && <Rows rows={all} />}
      {more && <Paragraph>{more}</Paragraph>}
      {links.map(({ until, ...link }) => (
        <>
          <PlainLink color={color} {...link} />
          {until && <SmallPrint>{until}</SmallPrint>}
        </>
      ))}
      {fine && <SmallPrint>{fine}</SmallPrint>}
    </Section>
  )
}

const brokenLine = (line: string, i: number) => (i === 0 ? [line] : [<br key={line} />, line])

function plainText({ test, act, standing, links = [], note, sections, ...content }: Props): string {
  const { label, amount } = content.amount
  const isRepeated = sections.some(({ rows }) => rows?.[0]?.name === label)
  const summary = [
    ...(isRepeated ? [] : [content.what, `${label}: ${amount}`]),
    ...(standing ? [standing.text] : []),
    ...(note ? [note] : []),
  ]
  return [
    ...(test ? [content.testBanner, ''] : []),
    content.greeting,
    '',
    content.intro,
    '',
    ...(summary.length > 0 ? [...summary, ''] : []),
    ...(act ? [`${act.text}:`, act.href, ''] : []),
    ...links.flatMap(({ lead, href }) => [`${lead}:`, href, '']),
    ...sections.flatMap((section) => [...plainPart(section), '']),
    ...content.footer,
  ].join('\n')
}

function plainPart(section: SectionContent): string[] {
  const { heading, text, items = [], rows = [], more, links = [], fine } = section
  return [
    ...(heading ? [`${heading}:`] : []),
    ...(text ? [text] : []),
    ...items.map((row) => `- ${plainRow(row)}`),
    ...rows.map(plainRow),
    ...(more ? [more] : []),
    ...links.flatMap(({ lead, href, until }) => [
      `- ${lead}${until ? ` (${until})` : ''}:`,
      `  ${href}`,
    ]),
    ...(fine ? [fine] : []),
  ]
}

const plainRow = ({ name, under, value }: Row): string =>
  [`${name}${under ? ` (${under})` : ''}`, value].filter(Boolean).join(': ')

/** Gmail clips emails at 102 kB. All lines are on the page and the receipt. */
const LINES_MAX = 40

interface Line {
  name: string
  quantity: number
  unitMinor: bigint
  amountMinor: bigint
}

export function lineRows(
  lines: readonly Line[],
  format: { amount(minor: bigint): string; count(quantity: number): string },
): Row[] {
  const rows = lines.slice(0, LINES_MAX).map(({ name, quantity, unitMinor, amountMinor }) => ({
    name,
    under: texts.timesEach(format.count(quantity), format.amount(unitMinor)),
    value: format.amount(amountMinor),
  }))
  const more = lines.length - rows.length
  return more > 0 ? [...rows, { name: texts.moreLines(more), value: '' }] : rows
}
